/** The sections of sealing.md about what is sealed in a case: envelopes, their JSON, the chain of messages, files. */
import { MAX_JSON_DEPTH } from '#seal/bounded-json.ts';
import { CASE_MAC_BYTES } from '#seal/case-key.ts';
import { ENVELOPE_SIZES } from '#seal/envelope.ts';
import { MAX_FINDING_BYTES, MAX_FINDING_FILE_BYTES, MAX_FINDING_FILES } from '#seal/finding.ts';
import { serializeHeader } from '#seal/header.ts';
import { MAX_INQUIRY_FILES } from '#seal/inquiry-files.ts';
import { MAX_MESSAGES } from '#seal/message.ts';
import { PADDING_SIZE_CLASSES } from '#seal/padding.ts';
import { FRAME_BYTES, MAX_HEAD_BYTES } from '#seal/sealed-file.ts';
import { fileRows, findingRows, formatFieldTable, formatInquiryTable, messageRows } from './body-tables.ts';

const KIB = 1024;

function formatList(numbers: readonly number[]): string {
  return `${numbers.slice(0, -1).join(', ')} or ${numbers.at(-1)}`;
}

export function formatEnvelopeSection(): string {
  return `## 4. Envelopes

An envelope is JSON, bound to its place. Before sealing it is, one after the other:

1. the **header** and a line feed: \`${serializeHeader({ kind: 'inquiry.v1', case: 'LOOKUP_HASH', seq: 0 })}\`, with these names in this
   order and no blanks;
2. the length of the body, 4 bytes, big-endian;
3. the **body**: JSON in UTF-8, without a byte order mark;
4. zeros, up to the next of ${formatList(PADDING_SIZE_CLASSES)} bytes, which includes everything here;
5. as the last ${CASE_MAC_BYTES} of these bytes, HMAC-SHA-256 of all before them, with the MAC key of the case.

All of it is sealed to the recipient of the case alone. So an envelope has ${formatList(ENVELOPE_SIZES)} bytes, and nothing else is
accepted.

| kind | \`seq\` | written by |
|---|---|---|
| \`inquiry.v1\` | 0 | you |
| \`buyer-message.v1\` | the number of your messages before it | you |
| \`desk-message.v1\` | the number of the desk's messages before it | the desk |
| \`finding.v1\` | 0, or higher after one that was taken back; the highest counts | the desk |
| \`inquiry-file.v1\` | its place in \`files\` of the inquiry, from 0 | you |
| \`buyer-message-file.v1\` | ${MAX_INQUIRY_FILES} × \`seq\` of its message + its place in \`files\` | the buyer, on the site |
| \`finding-file.v1\` | ${MAX_FINDING_FILES} × \`seq\` of its finding + its place in \`files\` | the desk |

**To open one**, in this order, stopping at the first that fails (section 9 has the names of the errors):

1. the sealed length is one of the envelope's above, or it is \`truncated\`;
2. age opens it with the identity of the case, or it is \`wrong_key\` or \`tampered\`;
3. what is inside has one of the padded lengths, or it is \`truncated\`;
4. the first line is the header that belongs to the place where you found it, byte by byte. If it is not: \`unsupported\` if it is
   JSON with another \`v\`, \`swapped\` if \`v\` is the same, \`tampered\` if it is neither;
5. the MAC is right, or it is \`forged\`. A header of another version is refused before, because it may have another MAC;
6. the length of the body fits before the MAC, and the body is JSON, or it is \`tampered\`.

Only then use the body. The service knows the recipient of a case and could seal something to it, but it cannot compute the
MAC. Show nothing of what fails.
`;
}

export function formatBodySection(): string {
  return `## 5. What is in the bodies

A field that is not listed, or has another type, makes the whole body one that nobody is shown: only its length is told. So
does a body that nests deeper than ${MAX_JSON_DEPTH} levels. Lengths are counted in Unicode code points, the required minimum without blanks at both ends. Absent
optional fields mean empty: \`""\`, \`[]\`, \`null\` where nothing else is said.

### \`inquiry.v1\`

${formatInquiryTable()}

\`contact.value\` is empty for \`return_only\` and must not be empty otherwise; for \`email\` it is an address. Each entry of
\`files\`:

${formatFieldTable(fileRows)}

Remove the metadata of pictures (place, device, time) before you seal them, unless it is evidence.

### \`buyer-message.v1\` and \`desk-message.v1\`

${formatFieldTable(messageRows)}

### \`finding.v1\`

${formatFieldTable(findingRows)}

Treat the Markdown as text from a stranger: render no HTML in it, load nothing that it links to.
`;
}

export function formatThreadSection(): string {
  return `## 6. Linking messages

Each message says what its writer had read, so that nobody can remove or replace one unnoticed.

- \`seen\`: how many messages of the other side the writer had read.
- \`thread\`: SHA-256 over the SHA-256s of sealed messages, one after the other, as base64url without padding. The messages are all
  of the writer's own side with a lower \`seq\`, by \`seq\`, then the first \`seen\` of the other side, by \`seq\`. Each is hashed as it is sent: the
  bytes of the age file. Before the first message it is the SHA-256 of nothing.

To check a message of the desk: require that no \`seq\` is missing on either side, and compute \`thread\` from the desk's
messages below its \`seq\` and the first \`seen\` of yours. If it differs, stop and tell a person: somebody has altered the
conversation. A \`seen\` lower than what you have sent only means that messages crossed. A message in which both are absent or
\`null\` is unlinked. Each side has at most ${MAX_MESSAGES} messages. Inquiry, finding and files are not part of the chain.

### What the desk vouches for

State, days and finding that the API gives you are the service's word. Compare them with the desk's messages; one without \`act\`
is older and vouches for nothing. If one of these does not hold, tell a person:

- the state is \`declined\` if, and only if, the desk's last message is a \`decline\`;
- it is \`awaiting_client\` only if one of the desk's messages after your last is an \`ask\`;
- \`seq\` of the finding is not lower than any \`taken_back\`, and there is a finding if any message says \`valid: 1\`;
- \`keep_days\` is that of the last \`retain\`, or what the buyer has chosen since.
`;
}

export function formatFileSection(): string {
  return `## 7. Files

A file is sealed to the recipient of the case as an age file of, one after the other:

1. the header of its place and a line feed;
2. \`{"name":"…","mime":"…"}\` and a line feed, the same name and type as in \`files\`; both lines have at most ${MAX_HEAD_BYTES} bytes together;
3. a MAC of all before it (${CASE_MAC_BYTES} bytes);
4. the content in frames of ${FRAME_BYTES} bytes, only the last of which is shorter: the length of the frame (4 bytes, big-endian), its
   bytes. After the last frame, a length of 0;
5. the length of the padding (4 bytes, big-endian) and that many zeros;
6. a MAC of all before it, the first MAC included (${CASE_MAC_BYTES} bytes).

Both MACs are HMAC-SHA-256 with the MAC key of the case. The padding makes the length *L* of everything from 1 to 6 the next that
Padmé allows: ${PADDING_SIZE_CLASSES[0]} if *L* is at most ${PADDING_SIZE_CLASSES[0]}; otherwise, with *e* = ⌊log₂ *L*⌋ and
*k* = ⌊log₂ *e*⌋ + 1, *L* rounded up to a multiple of 2^(*e* − *k*). An empty file cannot be sent.

When you open one, check the first MAC before you use name or type, and the second before you use any of the content;
then nothing may follow. Name, type and size are those in \`files\`, or it is \`swapped\`; only a picture that is not
\`kept_as_evidence\` may be shorter, without its metadata. Files of a finding have at most ${MAX_FINDING_FILE_BYTES / KIB / KIB} MiB each and ${MAX_FINDING_BYTES / KIB / KIB} MiB together.
`;
}
