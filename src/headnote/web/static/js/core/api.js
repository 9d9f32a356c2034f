/** Questions to the server, and the errors it answers with. */

/** @typedef {import("../types.js").Answer} Answer */

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
  const response = await reach(search ? `${path}?${search}` : path, { signal });
  return response.json();
}

/** @param {string} path @param {unknown} body @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function post(path, body, signal) {
  return (await send(path, body, signal)).json();
}

/**
 * Lines of JSON, each as soon as it arrives.
 * @param {string} path @param {unknown} body @param {AbortSignal} signal
 * @returns {AsyncGenerator<any>}
 */
export async function* stream(path, body, signal) {
  const response = await send(path, body, signal);
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
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

/** @param {string} path @param {unknown} body @param {AbortSignal} [signal] */
function send(path, body, signal) {
  return reach(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });
}

/** @param {string} address @param {RequestInit} options */
async function reach(address, options) {
  let response;
  try {
    response = await fetch(address, { credentials: "same-origin", ...options });
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError("The server is not responding.", "Is headnote serve still running?", "unreachable");
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  const { message, remedy, code } = body?.error ?? {};
  throw new ApiError(message ?? `The server answered ${response.status}.`, remedy ?? "", code ?? "");
}
