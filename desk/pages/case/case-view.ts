/** What the page of a case is made from: the opened case, its viewer, and typed text that was not sent. */
import type { DraftFields } from '#desk/keys/draft-file.ts';
import type { DraftKind } from '#desk/keys/merged-draft.ts';
import type { BrowserVisit, DeskRefusal } from '#desk/loopback/page-route.ts';
import type { DeskStaff } from '#desk/model/assignee-name.ts';
import { type CaseGist, capitalizeName } from '#desk/model/case-gist.ts';
import type { DeskOpenedCase } from '#desk/office/case-reader.ts';
import type { DeskAct } from '#wire/desk-cases.ts';

/** Why nothing was sent; the text stays in its field. `changed`: messages arrived meanwhile; they are shown first. */
export type SendingRefusal = {
  /** Such as `Not sent`. */
  readonly fact: string;
  /** The kind of text that was refused; the page focuses its field. */
  readonly kind?: DraftKind;
} & ({ readonly why: 'changed'; readonly from: number } | { readonly why: 'fault'; readonly text: string });

export type TypedTexts = Readonly<Record<DraftKind, string>>;

export interface DraftView {
  /** A value that differs each time a page is shown. */
  readonly page: string;
  /** Null if it does not open. */
  readonly stored: DraftFields | null;
}

export interface CaseView {
  readonly opened: DeskOpenedCase;
  readonly gist: CaseGist;
  readonly now: number;
  readonly staff: DeskStaff;
  readonly visit: Pick<BrowserVisit, 'formToken'>;
  /** The number of the buyer's first message that the investigator has not seen before this visit. */
  readonly newFrom: number;
  readonly lastLookAt: number | null;
  readonly templates: readonly string[];
  readonly draft: DraftView;
  readonly typed: TypedTexts;
  readonly refusal: SendingRefusal | null;
  /** True if the office did not answer the last request. */
  readonly isAway: boolean;
  /** Where files are saved; null if the browser downloads them. */
  readonly outFolder: string | null;
  readonly savedAt: ReadonlyMap<string, number>;
}

export function mayAct({ opened }: Pick<CaseView, 'opened'>, ...acts: readonly DeskAct[]): boolean {
  return opened.isGenuine && acts.some((act) => opened.facts.acts.includes(act));
}

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
