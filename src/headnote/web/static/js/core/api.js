/** Questions to the server, and the errors it answers with. While it does not answer, they wait. */

import { answering, report } from "./connection.js";
import { known, t } from "./texts.js";

/** Times that a question is asked, if the server is back each time and yet does not answer it. */
const ATTEMPTS = 3;

export class ApiError extends Error {
  /** @param {string} message @param {string} remedy @param {string} code */
  constructor(message, remedy = "", code = "") {
    super(message);
    this.remedy = remedy;
    this.code = code;
  }
}

/**
 * @param {string} path
 * @param {Record<string, string|number|string[]|null|undefined>} [query] Lists are given once for each entry.
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function get(path, query = {}, signal) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "") parameters.append(name, String(one));
    }
  }
  const search = parameters.toString();
  unanswered += 1;
  try {
    return await persist(() => json(search ? `${path}?${search}` : path, { signal }), signal);
  } finally {
    unanswered -= 1;
    if (unanswered === 0) for (const go of held.splice(0)) go();
  }
}

/** Questions on their way. */
let unanswered = 0;
/** @type {(() => void)[]} What waits until there are none. */
const held = [];

/** Wait until what is looked at has its answers: the server would share its time with what is loaded ahead. */
export const quiet = () => new Promise((go) => (unanswered === 0 ? go(undefined) : held.push(() => go(undefined))));

/** A file of the page, as text. @param {string} address */
export const text = (address) => persist(async () => (await reach(address, {})).text().catch(unreachable));

/** The answer of now, without waiting for a server that is away. @param {string} path @param {AbortSignal} signal */
export const probe = (path, signal) => json(path, { signal });

/** @param {string} path @param {unknown} body @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function post(path, body, signal) {
  return persist(() => json(path, posted(body, signal)), signal);
}

/**
 * Lines of JSON, each as soon as it arrives.
 * @param {string} path @param {unknown} body @param {AbortSignal} signal
 * @returns {AsyncGenerator<any>}
 */
export async function* stream(path, body, signal) {
  const response = await persist(() => reach(path, posted(body, signal)), signal);
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read().catch(unreachable);
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
    const lines = rest.split("\n");
    rest = done ? "" : (lines.pop() ?? "");
    for (const line of lines) if (line.trim()) yield JSON.parse(line);
    if (done) return;
  }
}

/** Whether an error only says that nobody waits for the answer any more. @param {unknown} error */
export function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}

/** @param {unknown} body @param {AbortSignal} [signal] @returns {RequestInit} */
function posted(body, signal) {
  return { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal };
}

/**
 * Ask again when the server is back.
 * @template T
 * @param {() => Promise<T>} ask
 * @param {AbortSignal} [signal]
 */
async function persist(ask, signal) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      const isAway = error instanceof ApiError && ["unreachable", "token_wanted"].includes(error.code);
      if (!isAway || attempt === ATTEMPTS) throw error;
      await answering(signal);
    }
  }
}

/** @param {string} address @param {RequestInit} options @returns {Promise<any>} */
async function json(address, options) {
  const response = await reach(address, options);
  return response.json().catch(unreachable);
}

/** @param {string} address @param {RequestInit} options */
async function reach(address, options) {
  const response = await fetch(address, { credentials: "same-origin", ...options }).catch(unreachable);
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  const { code } = body?.error ?? {};
  if (code === "token_wanted") report("locked");
  throw failure(body?.error ?? { message: t("problem.status", { status: String(response.status) }) });
}

/**
 * The words of the page for what has a code that it knows; for all else those of the server.
 * @param {{message: string, remedy?: string, code?: string}} problem
 */
export function failure({ message, remedy = "", code = "" }) {
  const own = known(`problem.${code}`, "");
  return new ApiError(own || message, own ? known(`problem.${code}.remedy`, "") : remedy, code);
}

/** @param {unknown} error @returns {never} */
function unreachable(error) {
  if (isAbort(error)) throw error;
  report("silent");
  throw failure({ message: "", code: "unreachable" });
}

// -- Only the last of many questions counts: asking again calls the earlier ones off

export class Latest {
  /** @type {AbortController|null} */
  #running = null;
  /** @type {number|undefined} */
  #timer;

  /**
   * Run `work` after a pause, unless other work replaces it.
   * @template T
   * @param {number} pause In milliseconds.
   * @param {(signal: AbortSignal) => Promise<T>} work
   * @param {{done: (value: T) => void, failed: (error: any) => void}} then Neither is called once the work is replaced.
   */
  run(pause, work, then) {
    this.stop();
    const own = new AbortController();
    this.#running = own;
    this.#timer = window.setTimeout(async () => {
      try {
        const value = await work(own.signal);
        if (!own.signal.aborted) then.done(value);
      } catch (error) {
        if (!own.signal.aborted && !isAbort(error)) then.failed(error);
      }
    }, pause);
  }

  stop() {
    window.clearTimeout(this.#timer);
    this.#running?.abort();
  }
}
