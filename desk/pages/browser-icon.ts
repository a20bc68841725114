/** The mark, where browsers look for it if a page names none. */
import { loadDeskAssets } from '#desk-program/loopback/desk-assets.ts';
import type { DeskAnswer } from '#desk-program/loopback/page-route.ts';

export async function answerBrowserIcon(): Promise<DeskAnswer> {
  const { icon } = await loadDeskAssets();
  return { redirect: icon.path };
}
