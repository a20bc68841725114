/** The mark: a folder, which takes the colours of the page. */
import { html } from './html.ts';

export const MARK = html`<svg viewBox="0 0 28 28" aria-hidden="true" focusable="false"><path class="shape" d="M2 6.5A1.5 1.5 0 0 1 3.5 5h7l2.5 3h11.5A1.5 1.5 0 0 1 26 9.5V23a1.5 1.5 0 0 1-1.5 1.5h-21A1.5 1.5 0 0 1 2 23z"/><path class="stroke" stroke-width="2.2" d="M7 14h14M7 18.5h8"/></svg>`;
