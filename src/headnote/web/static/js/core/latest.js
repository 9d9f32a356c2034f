/** Only the last of many questions counts: asking again calls the earlier ones off. */

import { isAbort } from "./api.js";

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
