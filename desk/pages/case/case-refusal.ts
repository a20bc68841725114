/** Explains why a text was not sent, and lists the messages that arrived meanwhile. */
import type { DeskRefusal } from '#desk/loopback/page-route.ts';
import { capitalizeName } from '#desk/model/case-gist.ts';
import type { CaseView, SendingRefusal } from './case-view.ts';

/** The refusal as the strip of the page shows it. */
export function describeRefusal(view: CaseView): DeskRefusal | undefined {
  const { refusal } = view;
  if (refusal === null) return undefined;
  const why = explainRefusal(view, refusal);
  return { fact: refusal.fact, why: refusal.kind === undefined ? why : `${why} Your text is kept.` };
}

/** Also shown at the field: on a long page the strip may be out of sight. */
export function explainRefusal({ gist, opened }: CaseView, refusal: SendingRefusal): string {
  if (refusal.why === 'fault') return refusal.text;
  const who = listCame(opened, refusal).length === 0 ? 'A colleague' : capitalizeName(gist.buyer);
  return `${who} wrote after you opened this case. Read the new message, then send again.`;
}

export function listCame({ content }: CaseView['opened'], refusal: SendingRefusal | null) {
  if (refusal?.why !== 'changed') return [];
  return content.messages.filter(({ by, seq }) => by === 'buyer' && seq >= refusal.from);
}
