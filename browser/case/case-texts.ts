/** The texts of an open case as files that can be read anywhere, and that run and load nothing. */
import { createElement } from '#browser/ui/element.ts';
import { formatShownTime } from '#browser/ui/page-content.ts';
import { reader, say } from '#browser/ui/say.ts';
import { toMessageText } from '#wire/call-rows.ts';
import { sayText } from '#wire/said-text.ts';
import type { BrowserCaseView } from './case-session.ts';
import { createMarkdownElements } from './case-view.ts';
import type { FindingView, ShownPart, ThreadMessage } from './content-view.ts';

/** A standalone web page, under a title that reveals nothing. */
export function createAnswerFile(finding: ShownPart<FindingView>): string {
  const { lang, dir } = document.documentElement;
  const answer =
    'content' in finding ? createMarkdownElements(finding.content.document) : [sayText(reader, finding.said)];
  return `<!DOCTYPE html>
<html lang="${lang}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
${readMarkup(createElement('title', {}, say('words.print.title')))}
<style>
:root { color-scheme: light dark }
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; font: 1.0625rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere }
table { border-collapse: collapse }
th, td { padding: .5rem .75rem; border: 1px solid; text-align: start; vertical-align: top }
pre { white-space: pre-wrap }
</style>
</head>
${readMarkup(createElement('body', { dir: 'auto' }, ...answer))}
</html>
`;
}

function readMarkup(element: HTMLElement): string {
  // oxlint-disable-next-line no-restricted-properties -- only read, and of an element outside the page
  return element.outerHTML;
}

export function createInquiryText({ inquiry }: Pick<BrowserCaseView, 'inquiry'>): string {
  if ('said' in inquiry) return `${sayText(reader, inquiry.said)}\n`;
  const lines = inquiry.content.map(
    ({ label, text }) => `${sayText(reader, label)}\n${sayText(reader, text)}\n`,
  );
  return lines.join('\n');
}

export function createThreadText(thread: readonly ThreadMessage[]): string {
  const entries = thread.map(({ by, at, said, files, mark }) => {
    const who = say(by === 'buyer' ? 'case.you' : 'case.investigator');
    const text =
      'content' in said
        ? toMessageText(said.content, say, reader)
            .map((part) => (typeof part === 'string' ? part : formatShownTime(part)))
            .join('')
        : sayText(reader, said.said);
    const heading = at ? `${who}, ${formatShownTime(at)}` : who;
    const lines = [heading, text, ...files.map(({ label }) => label), sayText(reader, mark)];
    return `${lines.filter((line) => line !== '').join('\n')}\n`;
  });
  return entries.join('\n');
}
