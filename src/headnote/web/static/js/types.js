/**
 * Responses of the server. Lines count from 1 and include both ends; offsets are code points.
 *
 * @typedef {{keyword_rank: number|null, keyword_score: number, matched: string[], guesses: Guess[],
 *   semantic_rank: number|null, similarity: number, model: string, linked_from: string, links_to: string,
 *   link_score: number, recency: number, about: number, version: number, folder: number, meaning_share: number,
 *   share_reason: string, name: string, terms: string[]}} Why
 * @typedef {{typed: string, found: string, is_correction: boolean}} Guess
 * @typedef {{path: string, start_line: number, end_line: number, breadcrumb: string, title: string, text: string,
 *   score: number, id: string, key: string, tokens: number, why: Why, tags: string[], about: string,
 *   aliases: string[], links: string[], also_in: string[], metadata: Record<string, unknown>,
 *   marks: [number, number][], line: number, lead: number, snippet: {lines: SnippetLine[], cut_before: boolean}}} Hit
 * @typedef {{line: number, text: string, marks: [number, number][], code: boolean}} SnippetLine
 * @typedef {{kind: "folder"|"tag"|"field", name: string, value: string, total: number,
 *   parameter: "path"|"tag"|"where", argument: string}} Facet
 * @typedef {{words: string, phrases: string[], excluded: string[], filters: string[], notes: string[]}} Understood
 * @typedef {{query: string, answered: string, understood: Understood, hits: Hit[], total: number, offset: number,
 *   facets: Facet[], note: string, has_nearest: boolean, milliseconds: number,
 *   files_read: FilesRead|null}} SearchAnswer
 * @typedef {{path: string, line: number, text: string, target: string, fragment: string, resolved: string|null,
 *   broken: boolean, picture: string|null, sentence: string}} Link
 * @typedef {{level: number, text: string, slug: string, start_line: number, end_line: number, tokens: number}} Heading
 * @typedef {{index: number, key: string, start: number, end: number, start_line: number, end_line: number,
 *   breadcrumb: string, tokens: number, part: number|null}} ChunkPlace
 * @typedef {ChunkPlace & {id: string, text: string, prefix: string, suffix: string, overlap: string,
 *   is_split: boolean}} Chunk
 * @typedef {{kind: string, start: number, end: number, start_line: number, end_line: number, cut: boolean}} Block
 * @typedef {Record<string, string|number|boolean|string[]|null>} Settings
 * @typedef {{start: number, end: number, start_line: number, end_line: number, is_given: boolean, chunks: number[],
 *   whole_in: number|null, rank: number|null}} Passage
 * @typedef {{scores: number[], ranks: (number|null)[], relevant: boolean, model: string,
 *   passage: Passage|null}} Asked
 * @typedef {{chunks: Chunk[], blocks: Block[], settings: Settings, seconds: number, question: Asked|null}} Chunked
 * @typedef {{path: string, title: string, html: string, pieces: import("./document/pieces.js").Piece[], text: string,
 *   lines: number, chunks: ChunkPlace[],
 *   headings: Heading[], links: Link[], backlinks: Link[], tags: string[],
 *   metadata: Record<string, unknown>, direction: "ltr"|"rtl"}} DocumentPage
 * @typedef {{path: string, title: string, chunks: number, size: number, changed: number, links: number,
 *   tags: string[]}} Entry
 * @typedef {{path: string, title: string, degree: number, tags: string[]}} GraphNode
 * @typedef {{nodes: GraphNode[], edges: [number, number][], orphans: string[], broken: Link[],
 *   spots: ([number, number]|null)[]}} Graph
 * @typedef {{nodes: (GraphNode & {distance: number})[], edges: [number, number][], left_out: number}} Neighbourhood
 * @typedef {{path: string, start_line: number, end_line: number, breadcrumb: string, title: string, text: string,
 *   score: number, source: string, similarity: number, model: string, words: string[], shared_links: number,
 *   mention: string, linked: ""|"to"|"from"|"both", link: string}} Related
 * @typedef {{name: string, type: string, choices: string[], default: string|number|boolean|string[]|null,
 *   description: string}} SettingInfo
 * @typedef {{name: string, description: string, settings: Settings}} Preset
 * @typedef {{presets: Preset[], settings: SettingInfo[], peers: Preset[]}} Presets
 * @typedef {{done: number, total: number}} FilesRead
 * @typedef {{root: string, documents: number, chunks: number, links: number, pending: number, model: string,
 *   bytes_on_disk: number, updated: number|null, generation: number, problem: string, elsewhere: string, busy: boolean,
 *   progress: {stage: string, done: number, total: number, seconds_left: number|null}|null, settings: Settings,
 *   origins: Object<string, string>, differing: string[], ask_model: string|null,
 *   models: {role: string, name: string, pending: number}[], answering: string,
 *   files_read: FilesRead|null, left_out: {path: string, reason: string}[], left_out_count: number,
 *   withheld: string[], read_only: boolean,
 *   page: string}} Status
 * @typedef {{path: string, start_line: number, end_line: number, text: string}} Citation
 * @typedef {{text: string, html: string[], citations: Citation[], sources: Hit[],
 *   dropped: {written: string, reason: string}[], complete: boolean, clear: boolean, model: string|null, note: string,
 *   files_read: FilesRead|null}} Answer
 */
export {};
