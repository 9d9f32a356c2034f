/**
 * One piece of work at a time, then the newest that waits.
 *
 * Unlike `Latest` it lets work finish: what follows a slider is shown while the slider moves, however long it takes.
 */

/** @typedef {{work: () => Promise<any>, then: {done: (value: any) => void, failed: (error: any) => void}}} Task */

export class OneAtATime {
  /** @type {Task|null} */
  #waiting = null;
  #isBusy = false;
  /** @type {number|undefined} */
  #timer;

  /**
   * Run `work` after a pause, unless other work replaces it before it starts.
   * @template T
   * @param {number} pause In milliseconds.
   * @param {() => Promise<T>} work
   * @param {{done: (value: T) => void, failed: (error: any) => void}} then
   */
  run(pause, work, then) {
    window.clearTimeout(this.#timer);
    this.#waiting = { work, then };
    this.#timer = window.setTimeout(() => void this.#start(), pause);
  }

  async #start() {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (let task = this.#next(); task; task = this.#next()) await carryOut(task);
    } finally {
      this.#isBusy = false;
    }
  }

  #next() {
    const task = this.#waiting;
    this.#waiting = null;
    return task;
  }
}

/** @param {Task} task */
async function carryOut({ work, then }) {
  let value;
  try {
    value = await work();
  } catch (error) {
    then.failed(error);
    return;
  }
  then.done(value);
}
