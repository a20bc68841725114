/** Answers a form that came after the desk was locked: it does nothing, but its text need not be typed again. */
import type { ServerResponse } from 'node:http';
import { readUnsentForm, type UnsentForm } from '#desk/model/unsent-form.ts';
import { renderUnsentPage } from '#desk/pages/plain-page.ts';
import { writeHtml, writeRedirect, writeRefusal } from './answer-writer.ts';

export const UNLOCK_PATH = '/unlock';
/** The query of the unlock page after a text was kept. */
export const KEPT_QUERY = 'text';

/** Returns why it could not be kept. */
export type KeepForm = (form: UnsentForm) => Promise<string | null>;

/** Where a form without a text leads, like every page of a locked desk: to unlocking. */
export async function keepUnsentForm(
  response: ServerResponse,
  { path, form, keepForm }: { readonly path: string; readonly form: FormData; readonly keepForm: KeepForm },
): Promise<void> {
  const unsent = readUnsentForm(path, form);
  if (!unsent) return writeRedirect(response, UNLOCK_PATH);
  const fault = await keepForm(unsent);
  if (fault === null) return writeRedirect(response, `${UNLOCK_PATH}?${KEPT_QUERY}=kept`);
  const why = `The desk was locked, and your text could not be kept: ${fault}. Copy it before you leave this page. If it was being sent, it may have arrived: read the conversation first.`;
  writeHtml(response, renderUnsentPage(why, listTexts(unsent)), 503);
}

/** A page from before the lock has an old token, so it changes nothing; but its author gets the text back. */
export function returnUnsentForm(
  response: ServerResponse,
  { path, form }: { readonly path: string; readonly form: FormData },
): void {
  const unsent = readUnsentForm(path, form);
  const why =
    'This page is from before the desk was locked, so nothing was sent or saved. Copy your text, open the case again, and paste it there.';
  if (unsent) writeHtml(response, renderUnsentPage(why, listTexts(unsent)), 403);
  else writeRefusal(response, 403);
}

function listTexts({ fields }: UnsentForm): readonly string[] {
  const { page: _page, base: _base, files: _files, ...texts } = fields;
  return Object.values(texts);
}
