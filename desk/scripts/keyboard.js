/** Keys of the desk: each is the `aria-keyshortcuts` of a control on the page, so keys can do nothing else. */

const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
const FIELDS = 'input:not([type=submit], [type=button], [type=checkbox], [type=radio]), textarea, select';
const hasSingleKeys = document.body.dataset.singleKeys !== 'off';

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  const isInField = event.target instanceof Element && event.target.matches(FIELDS);
  if (event.key === 'Escape') return leave(event, isInField);
  const isCommand = event.ctrlKey || event.metaKey;
  if (isInField && !isCommand) return;
  const step = STEPS[event.key];
  if (step && !isCommand) return moveFocus(event, step);
  if (event.repeat || (!isCommand && !hasSingleKeys)) return;
  const control = findControl(formatKey(event, isCommand), event.target.form);
  if (!control) return;
  event.preventDefault();
  pressControl(control);
});

/** As `aria-keyshortcuts` writes it. Other keyboards have `?` and `/` elsewhere, so the character counts. */
function formatKey({ key, shiftKey }, isCommand) {
  if (isCommand) return `Control+${key.length === 1 ? key.toUpperCase() : key}`;
  const isLetter = key.length === 1 && key.toLowerCase() !== key.toUpperCase();
  if (!isLetter) return key;
  return shiftKey ? `Shift+${key.toUpperCase()}` : key.toLowerCase();
}

/** A shortcut pressed in a form is meant for that form. */
function findControl(name, form = null) {
  const controls = [...document.querySelectorAll('[aria-keyshortcuts]')].filter((control) =>
    control.getAttribute('aria-keyshortcuts').split(' ').includes(name),
  );
  return controls.find((control) => form && control.form === form) ?? controls[0];
}

function pressControl(control) {
  for (let box = control.parentElement; box; box = box.parentElement)
    if (box instanceof HTMLDetailsElement && !control.matches('summary')) box.open = true;
  if (control.matches(FIELDS)) control.focus();
  else control.click();
}

/** Among rows: from the one with the focus, or from the one that is open. */
function moveFocus(event, step) {
  if (!hasSingleKeys && !event.key.startsWith('Arrow')) return;
  const rows = [...document.querySelectorAll('.row')];
  const focused = rows.indexOf(document.activeElement);
  if (rows.length === 0 || (event.key.startsWith('Arrow') && focused < 0)) return;
  const from = focused < 0 ? rows.findIndex((row) => row.hasAttribute('aria-current')) : focused;
  const to = Math.min(Math.max(from < 0 && step < 0 ? 0 : from + step, 0), rows.length - 1);
  event.preventDefault();
  rows[to].focus();
}

/** Out of a field; out of an overlay, which the browser does; back by the page's own link. */
function leave(event, isInField) {
  if (isInField) return event.target.blur();
  if (!document.querySelector(':popover-open')) findControl('Escape')?.click();
}
