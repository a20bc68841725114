/** Times in short words, with the full date for print, and lengths that the page keeps up to date. */
import { formatDeskTime, formatLength } from '#desk/model/desk-time.ts';
import { describeDue } from '#desk/model/due-clock.ts';
import { type Html, html } from '#view/html.ts';

const fullTime = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

export function renderShownTime(at: number, now: number): Html {
  return html`<time datetime="${new Date(at).toISOString()}" data-full="${formatFullTime(at)}">${formatDeskTime(at, now)}</time>`;
}

/** Such as `16 Nov 2026, 12:37 UTC`. */
export function formatFullTime(at: number): string {
  return `${fullTime.format(at)} UTC`;
}

/** The script of the page keeps it up to date; `*` is replaced by the length. */
export function renderLength(at: number, now: number, before: string, after: string): Html {
  const words = (at < now ? after : before).replace('*', formatLength(at - now));
  return html`<span data-at="${new Date(at).toISOString()}" data-before="${before}" data-after="${after}">${words}</span>`;
}

/** Renders a due time in the same way, with its tone. */
export function renderDue(
  { due_at: at }: { readonly due_at: string },
  now: number,
  before: 'in *' | 'Due in *',
): Html {
  const { words, sentence, tone } = describeDue({ due_at: at }, now);
  return html`<span class="${tone}" data-due data-at="${at}" data-before="${before}" data-after="* late">${before === 'in *' ? words : sentence}</span>`;
}

export function renderAgo(at: number, now: number): Html {
  return renderLength(at, now, '* ago', '* ago');
}
