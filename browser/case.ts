/** The case page: the words stay in this browser, which opens here what only they can open. */
import { contentOf } from './form.ts';
import { offerLeaving } from './leaving.ts';
import { takeOver } from './sealed-form.ts';
import type { Sealing } from './sealing.ts';
import { items, offerPrinting, showInstead, terms, text } from './shown-page.ts';

offerLeaving();
offerPrinting();
takeOver('form#find', { send: open, field: 'words' });

async function open(find: HTMLFormElement, sealing: Sealing): Promise<boolean> {
  const words = new Map(contentOf(find).fields).get('words') ?? '';
  const { title, clock, sentences, rows, inquiry, unreadable } = await sealing.ask('open', { words });
  showInstead('opened', {
    title: text(title),
    clock: text(clock),
    sentences: items('p', sentences),
    rows: terms(rows.map(({ label, value }) => ({ label, text: value }))),
    inquiry: (slot) => {
      terms(inquiry)(slot);
      if (unreadable !== null) slot.replaceWith(refusal(unreadable));
    },
  });
  return true;
}

function refusal(sentence: string): HTMLElement {
  const note = document.createElement('p');
  note.className = 'error';
  note.textContent = sentence;
  return note;
}
