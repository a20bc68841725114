/** Counts as a table whose rows are bars: the sentence above, the figures as text, and no script. */
import { type Html, html } from '#view/html.ts';

export interface CountedBar {
  readonly name: string;
  readonly count: number;
  readonly tone?: 'late' | 'soon';
}

interface BarChart {
  readonly title: string;
  readonly about: string;
  /** Heads the names, and the figures. */
  readonly label: string;
  readonly unit: string;
  readonly bars: readonly CountedBar[];
}

export function renderBarChart({ title, about, label, unit, bars }: BarChart): Html {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return html`<section class="chart">
<h2>${title}</h2>
<p class="small">${about}</p>
<table>
<thead class="unseen"><tr><th scope="col">${label}</th><th scope="col">${unit}</th></tr></thead>
<tbody>${bars.map((bar) => renderBar(bar, most))}</tbody>
</table>
</section>`;
}

/** The longest fills its place; what is not zero can be seen. */
function renderBar({ name, count, tone }: CountedBar, most: number): Html {
  const width = count === 0 ? 0 : Math.max(1, Math.round((100 * count) / most));
  return html`<tr><th scope="row">${name}</th><td><span class="figure">${count}</span><svg class="${tone ?? null}" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect width="${width}" height="10"/></svg></td></tr>
`;
}
