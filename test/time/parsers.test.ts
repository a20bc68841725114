/** The CPU time of every text parser, for inputs made of one fragment repeated up to the limit. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import test from 'node:test';
import type { FastifyRequest } from 'fastify';
import { findRedirectUriFault } from '#clients/redirect-uris.ts';
import { requireDpopProof } from '#oauth/dpop.ts';
import { isMediaTypeAccepted, isPagePreferred } from '#platform/http/accept.ts';
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
import { negotiateContentCoding } from '#view/content-coding.ts';
import { fragments, headerFragments, repeatToLength } from './fragments.ts';
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

async function checkProof(proof: string): Promise<void> {
  const services = {} as Pick<Services, 'clock' | 'store'>;
  await requireDpopProof(services, {
    proof,
    bound: { token: 'a', jkt: 'a' },
    method: 'GET',
    url: 'https://example.org/',
  });
}

const toRequest = (headers: Record<string, string>) => ({ headers }) as unknown as IncomingMessage;

const headerParsers: Readonly<Record<string, TextParser['parse']>> = {
  'the media types that are accepted': (accept) =>
    isMediaTypeAccepted(toRequest({ accept }), 'application/json'),
  'the media type that is preferred': (accept) => isPagePreferred(toRequest({ accept })),
  'the first parameter of a media type': (text) =>
    isPagePreferred(toRequest({ accept: `text/html;a="${text}` })),
  'a DPoP proof': async (proof) => await checkProof(proof),
  'the claims of a DPoP proof': async (text) => {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    await checkProof(
      `${encode({ alg: 'ES256', typ: 'dpop+jwt', jwk: { kty: text } })}.${encode({ htu: text })}.a`,
    );
  },
  'the codings that are accepted': (text) => {
    const raw = toRequest({ 'accept-encoding': text });
    negotiateContentCoding({ raw } as FastifyRequest, { identity: Buffer.alloc(0) });
  },
};

const everyParser = {
  ...parsers,
  ...Object.fromEntries(
    Object.entries(headerParsers).map(([name, parse]) => [name, { limit: httpLimits.headerBytes, parse }]),
  ),
};

for (const [name, { limit, parse }] of Object.entries(everyParser))
  test(`${name}: the time grows with the length, whatever is repeated`, async () => {
    for (const fragment of name in headerParsers ? headerFragments : fragments)
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
