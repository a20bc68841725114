/** How much waits at the office: sentences first, then the same as a table. */
import type { DeskAnswer, DeskRequest } from '#desk-program/loopback/page-route.ts';
import type { DeskWork } from '#desk-program/model/desk-work.ts';
import { type Html, html } from '#view/html.ts';
import type { DeskNumbers } from '#wire/desk-office.ts';
import { renderColumnPage } from './column-page.ts';
import { renderStrips } from './desk-strips.ts';

export async function answerNumbers({ desk, visit }: DeskRequest<DeskWork>): Promise<DeskAnswer> {
  const numbers = await desk.watch.ask(
    async () => await desk.office.readNumbers(),
    () => undefined,
  );
  const main = renderColumnPage({
    title: 'Numbers',
    about: 'Counted by the office at this moment, without anything of what the cases are about.',
    main: html`<div class="task"><div class="sheet">${describeNumbers(numbers).map((line) => html`<p>${line}</p>`)}</div></div>
${renderStates(numbers)}`,
  });
  return { page: { title: 'Desk: numbers', nav: 'numbers', main, strip: renderStrips(desk, visit) } };
}

function describeNumbers(numbers: DeskNumbers): string[] {
  const { late, due_within_a_day: due, unanswered, contact, agents, orders } = numbers;
  return [
    late === 0 ? 'Nothing is late.' : `${countThings(late, 'case')} ${late === 1 ? 'is' : 'are'} late.`,
    due === 0
      ? 'Nothing else is due within a day.'
      : `${countThings(due, 'case')} ${due === 1 ? 'is' : 'are'} due within a day.`,
    unanswered === 0
      ? 'No buyer waits for an answer.'
      : `In ${countThings(unanswered, 'case')} the buyer wrote last.`,
    contact === 0 ? 'No contact message waits.' : `${countThings(contact, 'contact message')} to handle.`,
    ...(agents === null ? [] : [`${countThings(agents, 'agent')} to decide about.`]),
    ...(orders === null ? [] : [`${countThings(orders, 'order')} in need of a hand.`]),
  ];
}

function countThings(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function renderStates({ cases }: DeskNumbers): Html {
  const rows = Object.entries(cases).map(
    ([state, count]) =>
      html`<tr><th scope="row">${state.replaceAll('_', ' ')}</th><td data-label="Cases">${count}</td></tr>`,
  );
  return html`<table class="grid"><thead><tr><th scope="col">State</th><th scope="col">Cases</th></tr></thead><tbody>${rows}</tbody></table>`;
}
