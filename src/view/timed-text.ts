/** Text with times as markup: each is a `<time>`, which a script shows in the reader's own zone. */
import type { ShownTime, TimedText } from '#language/timed-text.ts';
import { type Html, html } from './html.ts';

export function renderTimedText(text: TimedText): Html {
  return html`${text.map((part) => (typeof part === 'string' ? part : renderTime(part)))}`;
}

export function renderTime({ datetime, text }: ShownTime): Html {
  return html`<time datetime="${datetime}">${text}</time>`;
}
