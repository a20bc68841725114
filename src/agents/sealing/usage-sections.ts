/** The sections of sealing.md about the API: what is sent where, in which order, and what refusals mean. */
import { MAX_UPLOAD_PIECES, UPLOAD_LIFETIME_MS } from '#cases/uploads.ts';
import type { PublicAddresses } from '#platform/addresses.ts';
import { getProblemKind, type ProblemCode } from '#platform/problems.ts';
import { formatDurationInWords } from '#platform/spelled-duration.ts';
import { ENVELOPE_SIZES } from '#seal/envelope.ts';
import { HEADER_VERSION } from '#seal/header.ts';
import { MAX_STORED_PIECE_BYTES } from '#store/objects.ts';

const INQUIRY_EXAMPLE = {
  order_id: '…',
  terms_version: '…',
  sealed: {
    lookup_hash: '…',
    case_key: '…',
    sealing_set: '…',
    envelope: '…',
    files: [{ upload: '…', size: ENVELOPE_SIZES[0] }],
  },
} as const;

export function formatSendingSection({ api, openapi, registration }: PublicAddresses): string {
  const largest = ENVELOPE_SIZES.at(-1) ?? 0;
  return `## 8. What to send where

Sealed bytes are base64url without padding inside JSON. The operations and their scopes are in ${openapi}, how to get a
token in ${registration}.

1. Pay, and wait until the order is \`paid\`. Read \`terms_version\` from \`GET ${api}/pricing\`.
2. Make the words and the case key, and **store both**.
3. For each file: seal it, choose an id (16 random bytes, base64url without padding), and send the sealed bytes in pieces of
   ${MAX_STORED_PIECE_BYTES} bytes, the last one shorter: \`PUT ${api}/orders/{order}/uploads/{upload}/{piece}\`,
   \`Content-Type: application/octet-stream\`, pieces counted from 0 to ${MAX_UPLOAD_PIECES - 1}. A piece may be sent again. What no inquiry uses is
   deleted after ${formatDurationInWords(UPLOAD_LIFETIME_MS)}.
4. Seal \`inquiry.v1\` and send \`POST ${api}/inquiries\` with an \`Idempotency-Key\`:

\`\`\`json
${JSON.stringify(INQUIRY_EXAMPLE, null, 2)}
\`\`\`

   \`files\` are the uploads in the order of \`files\` in the inquiry, with their sealed sizes; without files, leave it out. An
   envelope of ${largest} bytes is too long for this body: upload it like a file, and give \`"inquiry": {"upload", "size"}\` instead
   of \`envelope\`. The answer is 201 with the \`id\` of the case and \`sealed_by: agent\`. If it is lost, send exactly the same again.
5. Poll \`GET ${api}/cases/{case}\`, at most once a minute. \`messages\` counts both sides, \`files\` lists everything else that is sealed.
6. \`GET ${api}/cases/{case}/messages\` gives \`{by, seq, sealed}\` of both sides; \`next\`, if present, is \`after\` of the next page. \`by\` is \`buyer\` or
   \`desk\` and decides the kind.
7. \`awaiting_client\`: the desk has asked. Seal a \`buyer-message.v1\` whose \`seq\` is \`messages.buyer\`, and send
   \`POST ${api}/cases/{case}/messages\` with \`{"seq": 0, "sealed": "…"}\`. Keep the sealed bytes: the same ones may be sent again, others with
   the same \`seq\` are refused.
8. \`delivered\`: of \`files\`, take the \`finding.v1\` with the highest \`seq\`, \`GET ${api}/cases/{case}/files/{id}\`, and open the envelope.
   Its own files are the \`finding-file.v1\` objects with the \`seq\` of section 4.
`;
}

const refusals: Readonly<Partial<Record<ProblemCode, string>>> = {
  not_sealed:
    'a length or a header that no sealed object has: not age, another type of recipient, or not padded',
  sealing_keys_changed:
    'not one stanza for each desk key, the recovery key and the words, or the keys have changed: fetch them again and seal the case key again. Words, case key and envelope stay as they are',
  sealing_keys_changing: 'wait as `Retry-After` says, fetch the keys again',
  case_exists: 'the lookup hash belongs to another case: make new words, and seal all of it again',
  upload_incomplete: 'a piece is missing, or `size` is not the sum of the pieces',
  case_changed: 'another message has this `seq`: read the messages, seal it again with the next number',
  case_state: 'the case takes no more messages',
  payload_too_large: 'a piece is too long, or too much was uploaded for one order',
};

export function formatRefusalSection(): string {
  const rows = Object.entries(refusals).map(
    ([code, meaning]) => `| \`${code}\` | ${getProblemKind(code as ProblemCode).status} | ${meaning} |`,
  );
  return `## 9. When something is refused

By the service, as problem details with \`code\`:

| code | status | |
|---|---|---|
${rows.join('\n')}

Whether the body inside is right the service cannot see: check it against section 5 before you send it.

By you, when you open something. The vectors use these names:

| error | |
|---|---|
| \`wrong_key\` | no stanza opens with this identity |
| \`tampered\` | a MAC of age, its header or its chunks is wrong, or what is inside has another form |
| \`truncated\` | it ends too early, or has a length that is not possible |
| \`swapped\` | the header is that of another place or another case, or a file is not what \`files\` says |
| \`forged\` | the MAC with the key of the case is wrong |
| \`unsupported\` | \`v\` of the header is not ${HEADER_VERSION} |
`;
}
