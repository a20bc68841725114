/** The values of the placeholders in auth.md, sealing.md and the skill: the constants of the code, never copies. */
import { REGISTRATION_POLL_SECONDS } from '#agents/registration-routes.ts';
import { DEFAULT_KEEP_DAYS } from '#cases/ending/retention.ts';
import { MAX_UPLOAD_PIECES } from '#cases/intake/uploads.ts';
import { oauthLifetimes } from '#clients/lifetimes.ts';
import type { PlaceholderValues } from '#content/placeholders.ts';
import { DELIVERY_HOURS } from '#payments/tiers.ts';
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from '#platform/durations.ts';
import { IDEMPOTENCY_KEY_HOURS, PAYMENT_PAGE_MINUTES, REGISTRATION_DAYS } from '#platform/expiry.ts';
import { clientAuthMethods, grantTypes } from '#platform/grant-types.ts';
import { ADDRESS_FACTOR, httpLimits, rateBudgets } from '#platform/http/limits/limits.ts';
import { DEFAULT_SCOPES, SCOPES, scopeDescriptions } from '#platform/scopes.ts';
import { formatDurationInWords } from '#platform/text/spelled-duration.ts';
import { EVENT_DAYS, formatEventNames } from '#platform/webhook-event-types.ts';
import { MAX_CALL_NUMBER, MAX_CALL_WINDOWS } from '#seal/case/call-window.ts';
import {
  MAX_FINDING_BYTES,
  MAX_FINDING_CHARACTERS,
  MAX_FINDING_FILE_BYTES,
  MAX_FINDING_FILES,
} from '#seal/case/finding.ts';
import { DESK_MESSAGE_ACTS, MAX_MESSAGE_CHARACTERS, MAX_MESSAGES } from '#seal/case/message.ts';
import {
  computeSealedSize,
  IDENTITY_PREFIX,
  IDENTITY_SEED_BYTES,
  RECIPIENT_BYTES,
  RECIPIENT_PREFIX,
} from '#seal/core/age.ts';
import { MAX_JSON_DEPTH } from '#seal/core/bounded-json.ts';
import { CASE_MAC_BYTES, caseLabels } from '#seal/core/case-key.ts';
import { ENVELOPE_SIZES } from '#seal/core/envelope.ts';
import { HEADER_VERSION, serializeHeader } from '#seal/core/header.ts';
import { PADDING_SIZE_CLASSES } from '#seal/core/padding.ts';
import { computeWordListHash } from '#seal/core/word-list.ts';
import { LOOKUP_TOKEN_BYTES, wordsLabels } from '#seal/core/words.ts';
import { MAX_FILE_NAME_LENGTH, MAX_FILE_TYPE_LENGTH } from '#seal/files/attached-file.ts';
import { FRAME_BYTES, MAX_HEAD_BYTES } from '#seal/files/sealed-file.ts';
import {
  findDefaultChoice,
  type InquiryFieldFacts,
  isFieldRequired,
} from '#seal/form/inquiry-field-kinds.ts';
import { inquiryFieldEntries } from '#seal/form/inquiry-fields.ts';
import { MAX_INQUIRY_FILE_MIB, MAX_INQUIRY_FILES, MAX_INQUIRY_TOTAL_MIB } from '#seal/form/inquiry-files.ts';
import { UPLOAD_LIFETIME_MS } from '#store/cases/object-deletion.ts';
import { MAX_STORED_PIECE_BYTES } from '#store/cases/objects.ts';
import { buildAuthorizationServerMetadata, buildProtectedResourceMetadata } from './metadata.ts';
import type { DescribedSite } from './public-document.ts';

const KIB = 1024;
const MIB = KIB * KIB;

/** How a program uses the service: by requests, or by the tools of its MCP endpoint. */
export type GuideWay = 'http' | 'mcp';

export function buildGuideValues(site: DescribedSite, way: GuideWay): PlaceholderValues {
  const values = {
    ...buildSiteValues(site),
    ...buildAccessValues(site),
    ...buildSealingValues(),
    ...(way === 'mcp' ? toolSteps : buildRequestSteps(site)),
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

function buildSiteValues({ addresses, siteName, maintainer, testNote }: DescribedSite) {
  return {
    site_name: siteName,
    // JSON is a part of YAML, so any name can be quoted in the first lines of the skill.
    site_name_in_quotes: JSON.stringify(siteName).slice(1, -1),
    maintainer,
    test_note: testNote && `${testNote}\n\n`,
    test_mode: testNote || 'There is no test mode here: people pay for every order and read every case.',
    site: addresses.site,
    api: addresses.api,
    api_path: addresses.apiPath,
    delivery_hours: DELIVERY_HOURS,
    idempotency_key_hours: IDEMPOTENCY_KEY_HOURS,
    keep_days: DEFAULT_KEEP_DAYS,
    payment_page_minutes: PAYMENT_PAGE_MINUTES,
  };
}

function buildAccessValues(site: DescribedSite) {
  const { addresses, siteName } = site;
  return {
    resource_metadata: formatJson(buildProtectedResourceMetadata(addresses.site, addresses, siteName)),
    server_metadata: formatJson(buildAuthorizationServerMetadata(site)),
    registration_poll_seconds: REGISTRATION_POLL_SECONDS,
    registration_days: REGISTRATION_DAYS,
    offer_hours: oauthLifetimes.offer / HOUR_SECONDS,
    client_auth_methods: clientAuthMethods.map(formatCode).join(' or '),
    grant_types: grantTypes.map(formatCode).join(', '),
    default_scopes: DEFAULT_SCOPES.map(formatCode).join(', '),
    scope_rows: SCOPES.map((scope) => `| \`${scope}\` | ${scopeDescriptions[scope]} |`).join('\n'),
    access_token_minutes: oauthLifetimes.accessToken / MINUTE_SECONDS,
    refresh_token_days: oauthLifetimes.refreshToken / DAY_SECONDS,
    grant_days: oauthLifetimes.grant / DAY_SECONDS,
    webhook_events: formatEventNames(),
    event_days: EVENT_DAYS,
    requests_a_minute: rateBudgets.requests.max,
    address_factor: ADDRESS_FACTOR,
    json_kib: httpLimits.jsonBytes / KIB,
  };
}

/** What each step of `steps.md` means for a program that sends requests. */
function buildRequestSteps({
  addresses: { api, docs, sealing },
}: DescribedSite): Readonly<Record<Step, string>> {
  const plain = `\`POST ${api}/cases/{case}/plain\``;
  return {
    ask_status: `\`GET ${api}/stripe/status\`, without a token`,
    ask_pricing: `\`GET ${api}/pricing\`, also without one`,
    start_checkout: `\`POST ${api}/stripe/checkout\` with \`{"tier": "Trace"}\`, the token and an \`Idempotency-Key\`, a new UUID`,
    checkout_key: '`Idempotency-Key`',
    order_name: 'The header `Location` is the address of the order; its last part is `order_id`.',
    ask_order: `\`GET ${api}/orders/{order}\``,
    submit: `\`POST ${api}/inquiries\` with \`order_id\`, \`terms_version\`, another new UUID as \`Idempotency-Key\`, stored with the body before you send, and the inquiry (its fields: ${docs}/inquiries.md) as \`plain\` or, better, \`sealed\` by you: ${sealing} has all that you need for it, with test vectors`,
    no_files: 'A plain inquiry takes no files',
    files_first: '',
    instead_of_files: ', or you seal it with its files',
    words_come: 'The answer to a plain inquiry has',
    repeat_key: '`Idempotency-Key`',
    ask_case: `\`GET ${api}/cases\`, or \`GET ${api}/cases/{case}\` with the last \`ETag\` as \`If-None-Match\``,
    read_question: `read it, after a plain inquiry with ${plain} and \`{"words": "…"}\`, after a sealed one as ${sealing} says`,
    send_answer: 'answer, after a plain one with `…/plain/messages`',
    read_finding: `read the finding and its files in the same way, after a plain inquiry with ${plain} and \`…/plain/files/{file}\``,
    keep_longer: `\`PUT ${api}/cases/{case}/retention\``,
  };
}

/** The same for a model that calls tools. */
const toolSteps = {
  ask_status: 'get_payment_status',
  ask_pricing: 'get_pricing',
  start_checkout: 'create_checkout with an `idempotency_key`, a new UUID',
  checkout_key: '`idempotency_key`',
  order_name: '`order_id` names the order; keep `submission_key`.',
  ask_order: 'get_order',
  submit: 'submit_inquiry with `order_id`, `submission_key` and `terms_version`',
  no_files: 'No tool takes files',
  files_first: ' If there are files, offer `in_browser: true` instead: the person writes it all there.',
  instead_of_files: '',
  words_come: 'The answer has',
  repeat_key: '`submission_key`',
  ask_case: 'get_case',
  read_question: 'read it with read_messages',
  send_answer: 'answer with send_case_message',
  read_finding: 'read the finding with get_finding and its files with get_finding_file',
  keep_longer: 'request_retention',
} as const;

type Step = keyof typeof toolSteps;

function buildSealingValues() {
  const chunkBytes = 16;
  return {
    recipient_prefix: RECIPIENT_PREFIX,
    recipient_bytes: RECIPIENT_BYTES,
    identity_prefix: IDENTITY_PREFIX,
    identity_seed_bytes: IDENTITY_SEED_BYTES,
    sealed_fixed_bytes: computeSealedSize(0, 0) - chunkBytes,
    sealed_recipient_bytes: computeSealedSize(0, 1) - computeSealedSize(0, 0),
    sealed_chunk_bytes: chunkBytes,
    word_list_hash: computeWordListHash(),
    words_salt: wordsLabels.salt,
    words_identity_label: wordsLabels.identity,
    words_lookup_label: wordsLabels.lookupToken,
    lookup_token_bytes: LOOKUP_TOKEN_BYTES,
    case_key_header: serializeHeader({ kind: 'case-key.v1', case: 'LOOKUP_HASH', seq: 0 }),
    case_salt: caseLabels.salt,
    case_mac_label: caseLabels.mac,
    case_mac_bytes: CASE_MAC_BYTES,
    inquiry_header: serializeHeader({ kind: 'inquiry.v1', case: 'LOOKUP_HASH', seq: 0 }),
    header_version: HEADER_VERSION,
    padding_sizes: formatChoices(PADDING_SIZE_CLASSES),
    smallest_padding: PADDING_SIZE_CLASSES[0],
    envelope_sizes: formatChoices(ENVELOPE_SIZES),
    smallest_envelope: ENVELOPE_SIZES[0],
    largest_envelope: ENVELOPE_SIZES.at(-1),
    max_json_depth: MAX_JSON_DEPTH,
    inquiry_field_rows: inquiryFieldEntries
      .flatMap(([name, field]) => formatFieldRows(name, field))
      .join('\n'),
    max_inquiry_files: MAX_INQUIRY_FILES,
    max_file_name: MAX_FILE_NAME_LENGTH,
    max_file_type: MAX_FILE_TYPE_LENGTH,
    max_file_head_bytes: MAX_HEAD_BYTES,
    frame_bytes: FRAME_BYTES,
    max_messages: MAX_MESSAGES,
    max_message_characters: MAX_MESSAGE_CHARACTERS,
    desk_message_acts: DESK_MESSAGE_ACTS.map(formatCode).join(', '),
    max_finding_files: MAX_FINDING_FILES,
    max_finding_characters: MAX_FINDING_CHARACTERS,
    max_finding_file_mib: MAX_FINDING_FILE_BYTES / MIB,
    max_finding_mib: MAX_FINDING_BYTES / MIB,
    piece_bytes: MAX_STORED_PIECE_BYTES,
    last_piece: MAX_UPLOAD_PIECES - 1,
    upload_lifetime: formatDurationInWords(UPLOAD_LIFETIME_MS),
  };
}

function formatJson(document: unknown): string {
  return JSON.stringify(document, null, 2);
}

function formatCode(text: string): string {
  return `\`${text}\``;
}

function formatChoices(numbers: readonly number[]): string {
  return `${numbers.slice(0, -1).join(', ')} or ${numbers.at(-1)}`;
}

/** Lists a field of an inquiry with its parts, from the table that also validates inquiries. */
function formatFieldRows(name: string, field: InquiryFieldFacts): string[] {
  const row = `| \`${name}\` | ${isFieldRequired(field) ? 'required' : 'optional'} | ${formatFieldRule(field)} |`;
  const parts = field.kind === 'contact' ? Object.entries(field.parts) : [];
  return [row, ...parts.flatMap(([part, facts]) => formatFieldRows(`${name}.${part}`, facts))];
}

function formatFieldRule(field: InquiryFieldFacts): string {
  switch (field.kind) {
    case 'line':
    case 'area': {
      const length = field.min === undefined ? `at most ${field.max}` : `${field.min} to ${field.max}`;
      return `text, ${length} characters${formatDescription(field)}`;
    }
    case 'list':
      return `a list of at most ${field.maxEntries} texts of 1 to ${field.max} characters${formatDescription(field)}`;
    case 'choice': {
      const options = field.options.map(({ value }) => formatCode(value)).join(', ');
      const chosen = findDefaultChoice(field);
      return `one of ${options}${chosen === undefined ? formatDescription(field) : `; \`${chosen}\` if absent`}`;
    }
    case 'country':
      return 'the country whose law applies to the sender: ISO 3166-1, two capital letters';
    case 'tick':
      return '`true`, and nothing else: the purpose is lawful';
    case 'contact':
      return 'an object with how the sender may be reached';
    case 'call_number':
      return `text, at most ${MAX_CALL_NUMBER} characters: 5 to 15 digits, with \`+\` and separators if you like. Only for \`Dossier\`, and needed with \`call_windows\``;
    case 'call_windows':
      return `a list of at most ${MAX_CALL_WINDOWS} objects \`{"start", "end", "zone"}\`: local times such as \`2026-12-31T14:30\`, and a zone such as \`Europe/Paris\`. Only for \`Dossier\``;
    case 'files':
      return `a list of at most ${MAX_INQUIRY_FILES} objects as below, each of at most ${MAX_INQUIRY_FILE_MIB} MiB, together ${MAX_INQUIRY_TOTAL_MIB} MiB`;
    case 'payment':
      return `the \`order_id\` or \`session_id\` that you send with it: 1 to ${field.max} printable ASCII characters without blanks`;
  }
}

/** Here the description comes after the limits; in the API it comes before them. */
function formatDescription({ description }: { readonly description?: string }): string {
  return description === undefined ? '' : `. ${description.replace(/[:;.]? ?$/, '')}`;
}
