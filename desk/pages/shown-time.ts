/** A moment in words that suit a day's work, which paper replaces by its date. */
import { formatDeskTime } from '#desk/model/desk-time.ts';
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
