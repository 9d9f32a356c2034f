/** Open what hides an element or a text: folds and tabs around it. @param {Node} hidden */
export function reveal(hidden) {
  for (let around = hidden.parentElement; around; around = around.parentElement) {
    if (around instanceof HTMLDetailsElement) around.open = true;
    else if (around.matches(".tab[hidden]")) around.dispatchEvent(new Event("reveal"));
  }
}
