/** What the inquiry form says about safety: a private window, and whom to call. */
import { html } from '#view/html.ts';
import { SAFETY_PATH } from '#view/page.ts';

export const privateWindowHint = html`<p class="small">Does someone else use this device? Your browser keeps a list of the pages you visit. <a href="${SAFETY_PATH}#traces">What stays on your device</a></p>`;

export const helplinesHint = html`<p class="hint">If somebody is in danger, these people can help sooner than we can: <a href="${SAFETY_PATH}#helplines">emergency numbers and helplines by country</a>.</p>`;
