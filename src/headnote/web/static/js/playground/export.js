/** The settings as code: only what differs from the preset. Pure. */

/** @typedef {import("../types.js").Settings} Settings */

/** @param {string} preset @param {Settings} changed @param {string} file */
export function asPython(preset, changed, file) {
  const options = [
    `"${file}"`,
    ...(preset === "default" ? [] : [`preset="${preset}"`]),
    ...entries(changed).map(([name, value]) => `${name}=${python(value)}`),
  ];
  const short = `chunks = headnote.chunk_file(${options.join(", ")})`;
  const long = `chunks = headnote.chunk_file(\n${options.map((one) => `    ${one},\n`).join("")})`;
  return `import headnote\n\n${short.length <= 44 ? short : long}\n`;
}

/** @param {string} preset @param {Settings} changed @param {string} file */
export function asCommand(preset, changed, file) {
  const flags = entries(changed).map(([name, value]) => {
    const flag = name.replaceAll("_", "-");
    if (typeof value === "boolean") return value ? `--${flag}` : `--no-${flag}`;
    return `--${flag} ${quoted(Array.isArray(value) ? value.join(",") : String(value))}`;
  });
  const options = [...(preset === "default" ? [] : [`--preset ${preset}`]), ...flags];
  const short = ["headnote chunk", quoted(file), ...options].join(" ");
  return short.length <= 44 ? `${short}\n` : `headnote chunk ${[quoted(file), ...options].join(" \\\n  ")}\n`;
}

/** @param {string} preset @param {Settings} changed */
export function asToml(preset, changed) {
  const rows = [
    ...(preset === "default" ? [] : [`preset = "${preset}"`]),
    ...entries(changed).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
  ];
  return `# headnote.toml\n${rows.length > 0 ? rows.join("\n") : "# no settings needed: these are the defaults"}\n`;
}

/** @param {Settings} changed @returns {[string, string|number|boolean|string[]][]} */
function entries(changed) {
  return /** @type {any} */ (Object.entries(changed).filter(([, value]) => value !== null));
}

/** @param {string|number|boolean|string[]} value */
function python(value) {
  return typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);
}

/** A word as a shell takes it. @param {string} word */
function quoted(word) {
  return /^[\w./=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
