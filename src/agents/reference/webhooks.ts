/** The part of the reference about webhooks: each event, and how to check its signature in three languages. */
import type { OpenApiOperation } from '#agents/documents/openapi-document.ts';
import { ANSWER_SECONDS, REPLAY_MINUTES } from '#clients/webhook-delivery.ts';
import { MINUTE_SECONDS } from '#platform/durations.ts';
import { EVENT_DAYS } from '#platform/webhook-event-types.ts';
import { type Html, html } from '#view/html.ts';
import { type Field, renderBlock, renderExamples, renderFields } from './operation.ts';

const bodyFields: readonly Field[] = [
  { name: 'type', type: 'string', presence: '', about: 'The type of the event.' },
  { name: 'timestamp', type: 'string (date-time)', presence: '', about: 'When it happened.' },
  { name: 'data.id', type: 'string', presence: '', about: 'The id of the order or the case.' },
];
const TOLERANCE_SECONDS = REPLAY_MINUTES * MINUTE_SECONDS;

export function renderWebhooks(events: readonly (readonly [type: string, OpenApiOperation])[]): Html {
  const [, first] = events[0] ?? [];
  const { example } = first?.requestBody?.content['application/json'] ?? {};
  const headers = (first?.parameters ?? []).map(({ name, description = '' }) => ({
    name,
    type: 'header',
    presence: '',
    about: description,
  }));
  return html`<section id="events"><h2>Events</h2>
<p>An event is a POST to the address of <a href="#setCallback"><span class="code">setCallback</span></a>. It names what it is about and tells nothing else: read the order or the case. Answer with 2xx within ${ANSWER_SECONDS} seconds; otherwise it is sent again, for less than ${EVENT_DAYS} days. Events may come twice and in another order.</p>
<dl>${events.map(([type, { summary }]) => html`<div id="${type}"><dt><span class="code">${type}</span></dt><dd>${summary}.</dd></div>`)}</dl>
${renderFields([...headers, ...bodyFields])}
${renderBlock('json', JSON.stringify(example, null, 2))}
</section>
<section id="signatures"><h2>Check the signature</h2>
<p>Events are signed after <a href="https://www.standardwebhooks.com/">Standard Webhooks</a>, so any library of it checks them. By hand: over the body as it came, before anything parses it, with the <span class="code">secret</span> that <span class="code">setCallback</span> gave.</p>
${renderExamples([
  { title: 'JavaScript', language: 'js', text: JAVASCRIPT },
  { title: 'Python', language: 'python', text: PYTHON },
  { title: 'Shell', language: 'sh', text: SHELL },
])}
</section>`;
}

const JAVASCRIPT = `import { createHmac, timingSafeEqual } from 'node:crypto';

/** \`headers\` has names in lower case, as Node has them; \`body\` is the text of the request. */
export function isAuthentic(secret, headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= ${TOLERANCE_SECONDS})) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\${body}\`).digest();
  return signatures.split(' ').some((signature) => {
    const [version, text = ''] = signature.split(',');
    const given = Buffer.from(text, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}`;

const PYTHON = `import base64
import hashlib
import hmac
import time


def is_authentic(secret: str, headers, body: bytes) -> bool:
    """\`headers\` finds names in any case, as those of most frameworks do."""
    event, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > ${TOLERANCE_SECONDS}:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{event}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    return any(hmac.compare_digest(expected, given) for given in headers["webhook-signature"].split())`;

const SHELL = `# SECRET, ID, TIMESTAMP and BODY are those of the event; prints what webhook-signature has to contain.
KEY=$(printf '%s' "\${SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')
printf 'v1,%s\\n' "$(printf '%s.%s.%s' "$ID" "$TIMESTAMP" "$BODY" |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)"`;
