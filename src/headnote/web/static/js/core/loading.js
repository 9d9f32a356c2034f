/** Modules that are loaded when they are needed, whether the server answers at that moment or not. */

import { answering, report } from "./connection.js";

const ATTEMPTS = 3;

/**
 * @template T
 * @param {() => Promise<T>} load An import.
 * @returns {Promise<T>} Once it is loaded: when the server is back, if it is not.
 */
export async function loaded(load) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await load();
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      // The status is asked for at once. If the server is there, this is over in a moment.
      report("silent");
      await answering();
    }
  }
}
