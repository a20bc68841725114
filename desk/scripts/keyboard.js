/** Keys of the desk: j, k and arrows move the focus, Escape leaves, others press the control that names them. */

const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
const FIELDS = 'input:not([type=submit], [type=button], [type=checkbox], [type=radio]), textarea, select';
const hasSingleKeys = document.body.dataset.singleKeys !== 'off';

document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  const isInField = event.target instanceof Element && event.target.matches(FIELDS);
  if (event.key === 'Escape') return leave(event, isInField);
  const isCommand = event.ctrlKey || event.metaKey;
  // A key must not act on what the overlay hides.
  if ((isInField && !isCommand) || (isOverlayOpen() && event.key !== '?')) return;
  const step = STEPS[event.key];
  if (step && !isCommand) return moveFocus(event, step);
  if (event.repeat || (!isCommand && !hasSingleKeys)) return;
  const key = formatKey(event, isCommand);
  // Shortcuts with Ctrl submit, so they apply only to the form that has the focus, or else to a notice.
  const meant = isCommand && (event.target.form?.elements ?? document.querySelectorAll('.notice button'));
  const control = meant ? findControl(key, meant) : findControl(key);
  if (!control) return;
  event.preventDefault();
  pressControl(control);
});

/** The key as in `aria-keyshortcuts`. Keyboards have `?` and `/` in different places, so the character counts. */
function formatKey({ key, shiftKey }, isCommand) {
  if (isCommand) return `Control+${key.length === 1 ? key.toUpperCase() : key}`;
  const isLetter = key.length === 1 && key.toLowerCase() !== key.toUpperCase();
  if (!isLetter) return key;
  return shiftKey ? `Shift+${key.toUpperCase()}` : key.toLowerCase();
}

// Focused, so that the overlay can be scrolled and closed with the keyboard alone.
document.addEventListener(
  'toggle',
  ({ target, newState }) => newState === 'open' && target.matches('[popover]') && target.focus(),
  true,
);

// Puts the cursor at the end of a focused text, so that writing continues there.
document.addEventListener('focusin', ({ target }) => goToEnd(target));
goToEnd(document.activeElement);

function findControl(name, among = document.querySelectorAll('[aria-keyshortcuts]')) {
  return [...among].find((control) => control.getAttribute('aria-keyshortcuts')?.split(' ').includes(name));
}

function isOverlayOpen() {
  return document.querySelector(':popover-open') !== null;
}

function goToEnd(field) {
  if (!field?.matches('textarea[data-draft]') || field.selectionEnd > 0) return;
  field.setSelectionRange(field.value.length, field.value.length);
}

function pressControl(control) {
  for (let box = control.parentElement; box; box = box.parentElement)
    if (box instanceof HTMLDetailsElement && !control.matches('summary')) box.open = true;
  if (control.matches('summary')) return pressSummary(control);
  if (!control.matches(FIELDS)) return control.click();
  // In a narrow window the search is in the menu.
  if (!control.checkVisibility()) control.closest('[popover]')?.showPopover();
  control.focus();
}

/** Opens a box that is out of sight and scrolls to it; toggles one that is in sight. */
function pressSummary(summary) {
  const { left, top, bottom } = summary.getBoundingClientRect();
  const isInSight = summary.contains(document.elementFromPoint(left + 1, (top + bottom) / 2));
  const box = summary.parentElement;
  box.open = !(box.open && isInSight);
  summary.focus();
  if (box.open && box.matches('.drop')) box.querySelector(FIELDS)?.focus();
  else box.scrollIntoView({ block: isInSight ? 'nearest' : 'start' });
}

/** Starts at the focused row, or else at the row that is open or was opened last. */
function moveFocus(event, step) {
  if (!hasSingleKeys && !event.key.startsWith('Arrow')) return;
  const rows = [...document.querySelectorAll('.row')];
  const focused = rows.indexOf(document.activeElement);
  if (rows.length === 0 || (event.key.startsWith('Arrow') && focused < 0)) return;
  const from = focused < 0 ? rows.findIndex((row) => row.matches('[aria-current], :target')) : focused;
  const to = Math.min(Math.max(from < 0 && step < 0 ? 0 : from + step, 0), rows.length - 1);
  event.preventDefault();
  rows[to].focus();
}

/** Leaves an open box, a field, or an overlay (which the browser does); or else follows the page's own link back. */
function leave(event, isInField) {
  const box = document.querySelector('details.drop[open]');
  if (box && (!isInField || box.contains(event.target))) {
    box.open = false;
    return box.querySelector('summary').focus();
  }
  if (isInField) {
    if (event.target.matches('[type=search]')) event.target.value = '';
    return event.target.blur();
  }
  // The link of the page follows that of the frame.
  if (!isOverlayOpen()) [...document.querySelectorAll('[aria-keyshortcuts=Escape]')].at(-1)?.click();
}
