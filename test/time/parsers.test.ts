/** The CPU time of text parsers, for inputs made of one fragment repeated up to the limit. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { findRedirectUriFault } from '#clients/redirect-uris.ts';
import { requireDpopProof } from '#oauth/dpop.ts';
import { parseFormBody } from '#platform/http/form-post.ts';
import { parseJson } from '#platform/http/json.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { normalizeEmailAddress } from '#platform/mail/email-address.ts';
import { decodePageCursor } from '#platform/page-cursor.ts';
import { validateContactMessage } from '#seal/case/contact-message.ts';
import { parseMarkdown } from '#seal/case/markdown.ts';
import { validateCaseMessage } from '#seal/case/message.ts';
import { countRecipients } from '#seal/core/age.ts';
import { parseWords } from '#seal/core/words.ts';
import { listAskedWordFaults } from '#seal/form/asked-words.ts';
import { listCallTimeControls } from '#seal/form/call-form.ts';
import { validateInquiry } from '#seal/form/inquiry.ts';
import { inquiryFieldEntries } from '#seal/form/inquiry-fields.ts';
import { readInquiryFromForm } from '#seal/form/inquiry-form.ts';
import { readMessageFromForm } from '#seal/form/message-form.ts';
import { explainRefusedWords } from '#seal/form/word-suggestions.ts';
import type { Services } from '#services.ts';
import { renderFinding } from '#site/case/page.ts';
import { fragments, repeatToLength } from './fragments.ts';
import { assertSteadyGrowth } from './growth.ts';

interface TextParser {
  readonly limit: number;
  /** May throw: a refusal is a result like any other. */
  readonly parse: (text: string) => unknown;
}

const FINDING_LENGTH = 40_000;
const FIELD_BYTES = 128 * 1_024;
const body = httpLimits.jsonBytes;

const parsers: Readonly<Record<string, TextParser>> = {
  'Markdown for the browser': { limit: FINDING_LENGTH, parse: parseMarkdown },
  'Markdown for the server': { limit: FINDING_LENGTH, parse: (text) => renderFinding(text) },
  'a JSON body': { limit: body, parse: (text) => parseJson(Buffer.from(text)) },
  'a string in a JSON body': { limit: body, parse: (text) => parseJson(Buffer.from(JSON.stringify([text]))) },
  'a form body': { limit: body, parse: parseFormBody },
  'the twelve words': { limit: FIELD_BYTES, parse: explainWords },
  'the words up to the limit': { limit: 4_000, parse: explainWords },
  'the words that are asked back': {
    limit: FIELD_BYTES,
    parse: (text) => listAskedWordFaults(new Map([['asked_word_1', text]]), 'legal winner'),
  },
  'an e-mail address': { limit: body, parse: normalizeEmailAddress },
  'a redirect URI': { limit: body, parse: findRedirectUriFault },
  'a page cursor': { limit: httpLimits.headerBytes, parse: decodePageCursor },
  'the header of an age file': {
    limit: body,
    parse: (text) => countRecipients(Buffer.from(`age-encryption.org/v1\n-> ${text}\n--- `)),
  },
  'the fields of an inquiry': { limit: FIELD_BYTES / 4, parse: checkInquiryFields },
  'a message of a case': {
    limit: FIELD_BYTES,
    parse: (text) => validateCaseMessage(readMessageFromForm(new Map([['text', text]]))),
  },
  'the claims of a DPoP proof': { limit: httpLimits.headerBytes, parse: checkClaims },
  'a contact message': {
    limit: FIELD_BYTES,
    parse: (text) => validateContactMessage({ message: text, reply_to: text }),
  },
};

function explainWords(text: string): unknown {
  try {
    return parseWords(text);
  } catch (error) {
    return explainRefusedWords(error);
  }
}

function checkInquiryFields(text: string): void {
  const names = [...inquiryFieldEntries.map(([name]) => name), ...listCallTimeControls()];
  const fields = new Map(names.map((name) => [name, text]));
  validateInquiry(readInquiryFromForm(fields, { paymentRef: 'a', files: [] }), { includesCall: true });
}

async function checkClaims(text: string): Promise<void> {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = encode({ alg: 'ES256', typ: 'dpop+jwt', jwk: { kty: text } });
  await requireDpopProof({} as Pick<Services, 'clock' | 'store'>, {
    proof: `${head}.${encode({ htu: text })}.a`,
    bound: { token: 'a', jkt: 'a' },
    method: 'GET',
    url: 'https://example.org/',
  });
}

for (const [name, { limit, parse }] of Object.entries(parsers))
  test(`${name}: the time grows with the length, whatever is repeated`, async () => {
    for (const fragment of fragments)
      await assertSteadyGrowth(`${name} of ${JSON.stringify(fragment)}`, limit, async (length) => {
        const text = repeatToLength(fragment, length);
        try {
          await parse(text);
        } catch (error) {
          assert.ok(!(error instanceof RangeError), String(error));
        }
      });
  });

test('the time for a JSON body grows with the number of its names', async () => {
  await assertSteadyGrowth('names', httpLimits.jsonBytes, (length) => {
    const names = Array.from({ length: Math.floor(length / 10) }, (_none, place) => [`a${place}`, 1]);
    return parseJson(Buffer.from(JSON.stringify(Object.fromEntries(names))));
  });
});
