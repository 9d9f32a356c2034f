// The files of an export: fetched when they are needed, each once. extra/export/shards.py writes them.

const DIMENSIONS = 256;
const STEPS = 7;
const DECODER = new TextDecoder();
const INDEX = "index.bin";

/** @typedef {{ [name: string]: any }} Contents */

export class Shards {
  /** @param {URL} base */
  constructor(base) {
    this.base = base;
    /** @type {Map<string, Promise<DataView>>} */
    this.loaded = new Map();
    /** @type {Promise<Contents> | undefined} */
    this.index = undefined;
    /** What each has cost. @type {WeakMap<DataView, number>} */
    this.sizes = new WeakMap();
  }

  /** For one query. */
  visit() {
    return new Visit(this);
  }

  /** What the export has. @returns {Promise<Contents>} */
  contents() {
    this.index ??= this.fetch(INDEX).then((view) => JSON.parse(new TextDecoder().decode(view)));
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
    const loading = load(new URL(name, this.base)).then(({ view, bytes }) => {
      this.sizes.set(view, bytes);
      return view;
    });
    this.loaded.set(name, loading);
    loading.catch(() => this.loaded.delete(name));
    return loading;
  }
}

/** What one query reads, and what that costs a browser that has nothing yet: the same query has the same answer. */
export class Visit {
  /** @param {Shards} shards */
  constructor(shards) {
    this.shards = shards;
    /** @type {Set<DataView>} */
    this.seen = new Set();
    this.bytes = 0;
  }

  /** What the export has. @returns {Promise<Contents>} */
  async contents() {
    this.count(await this.shards.fetch(INDEX));
    return this.shards.contents();
  }

  /** @param {string} folder @param {number} at */
  async shard(folder, at) {
    const view = await this.shards.shard(folder, at);
    this.count(view);
    return view;
  }

  /** @param {DataView} view */
  count(view) {
    if (!this.seen.has(view)) this.bytes += this.shards.sizes.get(view) ?? 0;
    this.seen.add(view);
  }
}

/** A file, and the bytes that it has on the way. @param {URL} address */
async function load(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address.pathname}: ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) {
    return { view: new DataView(bytes.buffer), bytes: bytes.length };
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return { view: new DataView(await new Response(stream).arrayBuffer()), bytes: bytes.length };
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
