// The files of an export: fetched when they are needed, each once. export/encoding.py writes them.

const DIMENSIONS = 256;
const STEPS = 7;
const DECODER = new TextDecoder();

/** @typedef {{ [name: string]: any }} Contents */

export class Shards {
  /** @param {URL} base */
  constructor(base) {
    this.base = base;
    /** @type {Map<string, Promise<DataView>>} */
    this.loaded = new Map();
    /** @type {Promise<Contents> | undefined} */
    this.index = undefined;
  }

  /** What the export has. @returns {Promise<Contents>} */
  contents() {
    this.index ??= this.fetch("index.bin").then((view) => JSON.parse(new TextDecoder().decode(view)));
    return this.index;
  }

  /** @param {string} folder @param {number} at */
  shard(folder, at) {
    return this.fetch(`${folder}/${at}.bin`);
  }

  /** @param {string} name @returns {Promise<DataView>} */
  fetch(name) {
    const known = this.loaded.get(name);
    if (known) return known;
    const loading = load(new URL(name, this.base));
    this.loaded.set(name, loading);
    loading.catch(() => this.loaded.delete(name));
    return loading;
  }
}

/** @param {URL} address */
async function load(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address.pathname}: ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return new DataView(bytes.buffer);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new DataView(await new Response(stream).arrayBuffer());
}

/** Reads a shard from its beginning to its end. */
export class Reader {
  /** @param {DataView} view */
  constructor(view) {
    this.view = view;
    this.at = 0;
  }

  get isDone() {
    return this.at >= this.view.byteLength;
  }

  number() {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = this.view.getUint8(this.at++);
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  }

  text() {
    return DECODER.decode(this.bytes(this.number()));
  }

  /** @param {number} length */
  bytes(length) {
    this.at += length;
    return new Uint8Array(this.view.buffer, this.view.byteOffset + this.at - length, length);
  }

  /** How near the next vector is to a query. @param {Float32Array} query */
  similarity(query) {
    const scale = this.view.getFloat32(this.at, true);
    const halves = this.bytes(4 + DIMENSIONS / 2);
    let sum = 0;
    for (let at = 0; at < DIMENSIONS / 2; at++) {
      const byte = halves[at + 4];
      sum += ((byte >> 4) - STEPS - 1) * query[2 * at] + ((byte & 15) - STEPS - 1) * query[2 * at + 1];
    }
    return sum * scale;
  }

  /** The next vector. */
  vector() {
    const scale = this.view.getFloat32(this.at, true);
    const halves = this.bytes(4 + DIMENSIONS / 2);
    const vector = new Float32Array(DIMENSIONS);
    for (let at = 0; at < DIMENSIONS; at++) {
      const byte = halves[4 + (at >> 1)];
      vector[at] = ((at & 1 ? byte & 15 : byte >> 4) - STEPS - 1) * scale;
    }
    return vector;
  }
}

/** The last of some sorted keys that is not behind this one. @param {string[]} keys @param {string} key */
export function placeOf(keys, key) {
  let [low, high] = [0, keys.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (keys[middle] <= key) low = middle;
    else high = middle;
  }
  return low;
}
