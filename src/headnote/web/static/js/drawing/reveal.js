/** Open what hides an element: folds and tabs around it. @param {Element} element */
export function reveal(element) {
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (around instanceof HTMLDetailsElement) around.open = true;
    else if (around.matches(".tab[hidden]")) around.dispatchEvent(new Event("reveal"));
  }
}
