/** The overlay that lists the keyboard shortcuts, and where they can be switched off (WCAG 2.1.4). */
import { type BrowserVisit, DESK_NAV } from '#desk/loopback/page-route.ts';
import { type Html, html } from '#view/html.ts';

type KeyLine = readonly [keys: readonly string[], does: string];

const groups: readonly (readonly [title: string, lines: readonly KeyLine[]])[] = [
  [
    'Everywhere',
    [
      [['?'], 'Show or hide this list of keys'],
      [['/'], 'Search names, ids, and the text of opened cases'],
      [DESK_NAV.map((_name, index) => `${index + 1}`), 'Go to a page, in the order of the top bar'],
      [['.'], 'Ask the office what is new'],
      [['Shift', 'L'], 'Lock the desk'],
      [['Esc'], 'Leave a field, close this list, or go back to the case or the queue'],
    ],
  ],
  [
    'In a list',
    [
      [['j', 'k'], 'Down and up, like the arrow keys'],
      [['Enter'], 'Open'],
      [['n'], 'Open the case that is due first, yours or unassigned'],
      [['v'], 'Next view'],
      [['x'], 'Filter'],
    ],
  ],
  [
    'In a case',
    [
      [['t'], 'Take it, or reassign it to yourself'],
      [['r'], 'Write to the buyer'],
      [['m'], 'Write a note for the desk'],
      [['h'], 'Hand it over to a colleague, with that note'],
      [['d'], 'Write the finding; on that page, return to the text'],
      [['i'], 'Show or hide the whole inquiry'],
      [['f'], 'Save the first file from the buyer; in a finding, choose files to add'],
      [['c'], 'Book or move the call'],
      [['u'], 'Take back a delivery or a decline that is on hold'],
    ],
  ],
  ['In a contact message', [[['e'], 'Mark it as done and open the next']]],
  [
    'While you write',
    [
      [['Ctrl', 'Enter'], 'In a reply, ask and wait; in a note, add it; in a finding, show the preview'],
      [['Ctrl', 'Enter'], 'In any other form, press its button; on People, confirm the list'],
      [['Ctrl', 'S'], 'Save the draft, sealed to your key'],
      [['Esc'], 'Leave the field, so that single keys work'],
    ],
  ],
];

export function renderKeys({ hasSingleKeys }: BrowserVisit, token: Html): Html {
  return html`<section class="keys" id="keys" popover tabindex="-1" aria-labelledby="keys-title">
<div class="keys-top"><h2 id="keys-title">Keys</h2><button class="button quiet little" type="button" popovertarget="keys" popovertargetaction="hide">Close <kbd aria-hidden="true">Esc</kbd></button></div>
<div class="keys-all">${groups.map(([title, lines]) => html`<div><h3>${title}</h3><dl>${lines.map(renderLine)}</dl></div>`)}</div>
<form class="keys-foot" method="dialog" action="/settings/keys">${token}<p class="small">Each key stands for a link or button on the page. On a Mac, use ⌘ for Ctrl. Turn single keys off if they get in the way of dictation.</p><button class="button plain little" type="submit">${hasSingleKeys ? 'Turn single keys off' : 'Turn single keys on'}</button></form>
</section>`;
}

function renderLine([keys, does]: KeyLine): Html {
  return html`<div><dt>${keys.map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${does}</dd></div>`;
}
