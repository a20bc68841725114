/** A page without style or script. */
import type { FastifyReply } from 'fastify';

export const HTML = 'text/html';

interface Page {
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly status?: number;
}

export function sendPage(reply: FastifyReply, { title, paragraphs, status = 200 }: Page): FastifyReply {
  const text = paragraphs.map((paragraph) => `<p>${escapeText(paragraph)}</p>`).join('\n');
  return reply
    .code(status)
    .header(
      'content-security-policy',
      "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
    .type(`${HTML}; charset=utf-8`)
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeText(title)}</title>
</head>
<body>
<main>
<h1>${escapeText(title)}</h1>
${text}
</main>
</body>
</html>
`);
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
