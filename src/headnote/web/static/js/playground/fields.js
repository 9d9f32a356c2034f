/** A setting that is not a size: a box, a choice, a number or a list, with its description. */

import { freshId, h, refill } from "../core/dom.js";

/** @typedef {import("../types.js").SettingInfo} SettingInfo */
/** @typedef {import("./controls.js").Control} Control */

/** @param {SettingInfo} info @param {(value: any) => void} set @returns {Control} */
export function fieldControl(info, set) {
  if (info.type === "boolean") return boolean(info, set);
  return info.type === "choice" ? choice(info, set) : typed(info, set);
}

/** @param {SettingInfo} info @param {(value: boolean) => void} set @returns {Control} */
function boolean(info, set) {
  const id = freshId(info.name);
  const box = h("input", { id, type: "checkbox" });
  box.addEventListener("change", () => set(box.checked));
  const label = h("label", { for: id, class: "mono" }, info.name);
  return row(info, [h("div", { class: "setting-box" }, box, label)], (value) => {
    box.checked = value === true;
    box.indeterminate = value === null;
  });
}

/** @param {SettingInfo} info @param {(value: string) => void} set @returns {Control} */
function choice(info, set) {
  const id = freshId(info.name);
  const select = h(
    "select",
    { id, class: "input" },
    info.choices.map((one) => h("option", { value: one }, one)),
  );
  select.addEventListener("change", () => set(select.value));
  return row(info, [h("label", { for: id, class: "mono" }, info.name), select], (value) => {
    select.value = String(value);
  });
}

/** Numbers and lists. @param {SettingInfo} info @param {(value: any) => void} set @returns {Control} */
function typed(info, set) {
  const id = freshId(info.name);
  const isNumber = info.type === "integer";
  const input = h("input", {
    id,
    class: "input",
    type: isNumber ? "number" : "text",
    min: isNumber ? 0 : null,
    placeholder: isNumber ? null : "none",
    spellcheck: "false",
  });
  const words = () => input.value.split(",").flatMap((word) => word.trim() || []);
  const read = () => (isNumber ? Number(input.value) : words());
  input.addEventListener("change", () => set(isNumber && input.value === "" ? undefined : read()));
  return row(info, [h("label", { for: id, class: "mono" }, info.name), input], (value) => {
    if (document.activeElement !== input) input.value = Array.isArray(value) ? value.join(", ") : String(value ?? "");
  });
}

/**
 * @param {SettingInfo} info
 * @param {HTMLElement[]} parts
 * @param {(value: any) => void} setValue
 * @returns {Control}
 */
function row(info, parts, setValue) {
  const element = h("div", { class: "setting-row" }, parts, hint(info));
  return {
    element,
    show: ({ settings, choice }) => {
      setValue(settings[info.name]);
      element.classList.toggle("changed", info.name in choice.changed);
    },
  };
}

/** The description, with code as code. @param {SettingInfo} info */
function hint({ description }) {
  const element = h("p", { class: "setting-hint soft" });
  refill(
    element,
    description.split("`").map((part, at) => (at % 2 ? h("code", null, part) : part)),
  );
  return element;
}
