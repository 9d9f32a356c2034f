/** Which documents a filter means, in the picture and in the list. Pure. */

/**
 * @param {{path: string, title: string}} document
 * @param {string[]} words All of them must be in the path or the title.
 * @param {string} folder Empty for all folders.
 */
export function isMeant({ path, title }, words, folder) {
  if (folder && !path.startsWith(`${folder}/`)) return false;
  const text = `${path} ${title}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
