/** The texts of an open case as files that can be read anywhere, and that run and load nothing. */
import { formatShownTime } from '#browser/ui/page-content.ts';
import { reader, say } from '#browser/ui/say.ts';
import type { BrowserCaseView, FindingView, ShownPart, ThreadMessage } from '#browser/workers/opener-jobs.ts';
import type { MarkdownNode } from '#seal/case/markdown.ts';
import { toMessageText } from '#wire/call-rows.ts';
import { sayText } from '#wire/said-text.ts';

/** A standalone web page, under a title that reveals nothing. */
export function createAnswerFile(finding: ShownPart<FindingView>): string {
  const { lang, dir } = document.documentElement;
  const body =
    'content' in finding
      ? serializeNodes(finding.content.document)
      : escapeText(sayText(reader, finding.said));
  return `<!DOCTYPE html>
<html lang="${lang}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeText(say('words.print.title'))}</title>
<style>
:root { color-scheme: light dark }
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; font: 1.0625rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere }
table { border-collapse: collapse }
th, td { padding: .5rem .75rem; border: 1px solid; text-align: start; vertical-align: top }
pre { white-space: pre-wrap }
</style>
</head>
<body dir="auto">
${body}
</body>
</html>
`;
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

/** Tags need no escaping: the tree has a closed set of elements. */
function serializeNodes(nodes: readonly MarkdownNode[]): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return escapeText(node);
      const { tag, href, children } = node;
      const link = href === undefined ? '' : ` href="${escapeText(href)}" rel="noreferrer"`;
      const end = tag === 'br' || tag === 'hr' ? '' : `${serializeNodes(children)}</${tag}>`;
      return `<${tag}${link}>${end}`;
    })
    .join('');
}

function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
