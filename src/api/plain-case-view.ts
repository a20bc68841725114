/** A case that was opened in memory, as JSON: the messages of both sides and the finding, in plain text. */
import { type Static, Type } from 'typebox';
import type { BuyerCase } from '#cases/messages/buyer-actions.ts';
import type { ReadCounts } from '#cases/messages/messages.ts';
import { findCaseObject } from '#cases/sealing/sealed-case.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { describeObject, IdSchema } from '#platform/http/shapes.ts';
import { countFitting } from '#platform/page-cursor.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { MAX_CALL_NUMBER, MAX_CALL_WINDOWS } from '#seal/case/call-window.ts';
import type { LinkedMessage } from '#seal/case/case-content.ts';
import { CASE_DIFFERENCES, listCaseDifferences } from '#seal/case/case-differences.ts';
import { type CaseFile, listFindingFiles, listMessageFiles } from '#seal/case/case-files.ts';
import { MAX_FINDING_FILES } from '#seal/case/finding.ts';
import { type CaseActor, DESK_MESSAGE_ACTS, MAX_MESSAGES, messageKinds } from '#seal/case/message.ts';
import type { MessageLink } from '#seal/case/thread.ts';
import { MAX_FILE_NAME_LENGTH } from '#seal/files/attached-file.ts';
import { MAX_INQUIRY_FILES } from '#seal/form/inquiry-files.ts';
import { CASE_STATES } from '#wire/case-states.ts';
import { CallWindowSchema } from './inquiry-body.ts';
import { formatMessageCursor } from './list-pages.ts';
import { messageHead } from './messages.ts';

/** The number of messages in a response. */
const PAGE_SIZE = 50;

const LINKS = ['linked', 'crossed', 'unlinked', 'unreadable', 'after_gap', 'altered'] satisfies MessageLink[];

const PlainFile = describeObject({
  id: Type.Optional(
    Type.String({ ...IdSchema, description: 'The `file` of `openPlainFile`; absent if the file is lost.' }),
  ),
  name: Type.String({ maxLength: MAX_FILE_NAME_LENGTH, description: 'As its sender named it.' }),
  mime: Type.String({ description: 'As its sender named it; do not rely on it.' }),
  size: Type.Integer({ description: 'In bytes, when opened.' }),
});

const UnreadableText = Type.Optional(
  Type.String({ description: 'Why this cannot be shown; then there is no text and no file.' }),
);

const PlainMessage = describeObject(
  {
    ...messageHead,
    text: Type.String({ description: 'Empty if it is unreadable.' }),
    link: Type.Enum(LINKS, {
      type: 'string',
      description:
        '`linked`: its writer had the same messages before it as are here; `crossed`: the other side had written meanwhile; `unlinked`: it does not tell; `after_gap` or `altered`: a message that its writer had is missing or is another one, so do not rely on the conversation.',
    }),
    call_windows: Type.Optional(
      Type.Array(CallWindowSchema, {
        maxItems: MAX_CALL_WINDOWS,
        description: 'When the buyer can be called.',
      }),
    ),
    call_number: Type.Optional(
      Type.String({ maxLength: MAX_CALL_NUMBER, description: 'Where the buyer can be called.' }),
    ),
    call: Type.Optional(
      describeObject(
        {
          at: Type.String({ description: 'In UTC.' }),
          zone: Type.String({ description: 'That of the buyer.' }),
        },
        { description: 'The call that the desk has booked.' },
      ),
    ),
    act: Type.Optional(
      Type.Enum([...DESK_MESSAGE_ACTS], {
        type: 'string',
        description: 'What it does, as sealed.',
      }),
    ),
    keep_days: Type.Optional(Type.Integer({ description: 'With `retain`: days after delivery.' })),
    files: Type.Optional(
      Type.Array(PlainFile, { maxItems: MAX_INQUIRY_FILES, description: 'Attached to the message.' }),
    ),
    unreadable: UnreadableText,
  },
  { title: 'PlainMessage' },
);

const PlainFinding = describeObject(
  {
    markdown: Type.String({ description: 'May be empty if there are files.' }),
    files: Type.Array(PlainFile, { maxItems: MAX_FINDING_FILES, description: 'Attached to the finding.' }),
    unreadable: UnreadableText,
  },
  { title: 'PlainFinding', description: 'Absent until the finding is delivered.' },
);

export const PlainCase = describeObject(
  {
    state: Type.Enum([...CASE_STATES], { type: 'string', description: 'As in `getCase`.' }),
    messages: Type.Array(PlainMessage, {
      maxItems: PAGE_SIZE,
      description: 'Of both sides, in the order in which they were said.',
    }),
    missing: Type.Array(
      describeObject({
        by: messageHead.by,
        first: Type.Integer({ description: 'The `seq` of the first of them.' }),
        last: Type.Integer({ description: 'The `seq` of the last.' }),
      }),
      {
        maxItems: 2 * MAX_MESSAGES,
        description: 'Messages that were sent, as later ones prove, but are not here: they were removed.',
      },
    ),
    differences: Type.Array(Type.Enum([...CASE_DIFFERENCES], { type: 'string' }), {
      maxItems: CASE_DIFFERENCES.length,
      description:
        'What the service tells otherwise than the desk sealed it: do not rely on it, and tell a person.',
    }),
    cursor: Type.String({ description: 'The `after` that skips these messages, now or later.' }),
    more: Type.Boolean({ description: 'There are messages after `cursor` already.' }),
    finding: Type.Optional(PlainFinding),
  },
  {
    title: 'PlainCase',
    examples: [
      {
        state: 'delivered',
        messages: [
          {
            by: 'desk',
            seq: 0,
            sent_at: '2026-11-15T12:00:00.000Z',
            text: 'Which name did she use?',
            link: 'linked',
            act: 'ask',
          },
          {
            by: 'buyer',
            seq: 0,
            sent_at: '2026-11-15T13:30:00.000Z',
            text: 'She called herself Ann.',
            link: 'linked',
          },
        ],
        missing: [],
        differences: [],
        cursor: '1.1',
        more: false,
        finding: {
          markdown: '# Finding\n\nThe photographs are of another person.',
          files: [{ id: 'Hs8mZ2vRkP4xTq1Wn6LdYw', name: 'sources.csv', mime: 'text/csv', size: 2_048 }],
        },
      },
    ],
  },
);

export function toPlainCase(buyerCase: BuyerCase, read: ReadCounts): Static<typeof PlainCase> {
  const { record, messages, thread } = buyerCase.opened;
  const unread = messages.filter(({ by, seq }) => seq >= read[by]);
  const sizes = unread.slice(0, PAGE_SIZE).map((message) => findTextSize(buyerCase, message));
  const page = unread.slice(0, countFitting(sizes, httpLimits.answeredBytes));
  const countRead = (side: CaseActor) =>
    Math.max(read[side], ...page.map(({ by, seq }) => (by === side ? seq + 1 : 0)));
  const finding = toPlainFinding(buyerCase);
  return {
    state: record.state,
    messages: page.map((message) => toPlainMessage(buyerCase, message)),
    missing: thread.flatMap((entry) => ('missing' in entry ? { by: entry.by, ...entry.missing } : [])),
    differences: listCaseDifferences(buyerCase.opened, record).map(({ code }) => code),
    cursor: formatMessageCursor({ buyer: countRead('buyer'), desk: countRead('desk') }),
    more: unread.length > page.length,
    ...(finding ? { finding } : {}),
  };
}

/** Returns the size of a message's JSON in bytes; 0 if there is no text to show. */
function findTextSize({ opened }: BuyerCase, { by, seq }: Pick<LinkedMessage<number>, 'by' | 'seq'>): number {
  return opened.opened.find((one) => one.kind === messageKinds[by] && one.seq === seq)?.size ?? 0;
}

function toPlainMessage(
  buyerCase: BuyerCase,
  { by, seq, at, link, said }: LinkedMessage<number>,
): Static<typeof PlainMessage> {
  const head = { by, seq, sent_at: toIsoTime(at), link };
  if ('unreadable' in said) return { ...head, text: '', unreadable: said.unreadable };
  const {
    text,
    call_windows: windows,
    call_number: number,
    call,
    files,
    act,
    keep_days: days,
  } = said.content;
  return {
    ...head,
    text,
    ...(windows.length > 0 ? { call_windows: [...windows] } : {}),
    ...(number === '' ? {} : { call_number: number }),
    ...(call === null ? {} : { call }),
    ...(act === null ? {} : { act }),
    ...(days === null ? {} : { keep_days: days }),
    ...(files.length > 0 ? { files: toPlainFiles(buyerCase, listMessageFiles(said.content, seq)) } : {}),
  };
}

function toPlainFinding(buyerCase: BuyerCase): Static<typeof PlainFinding> | null {
  const { finding, findingSeq } = buyerCase.opened;
  if (finding === null) return null;
  if ('unreadable' in finding) return { markdown: '', files: [], unreadable: finding.unreadable };
  const files = toPlainFiles(buyerCase, listFindingFiles(finding.content, findingSeq));
  return { markdown: finding.content.markdown, files };
}

function toPlainFiles({ file }: BuyerCase, listed: readonly CaseFile[]): Static<typeof PlainFile>[] {
  return listed.map(({ kind, seq, name, mime, size }) => {
    const stored = findCaseObject(file, kind, seq);
    return { ...(stored ? { id: stored.id } : {}), name, mime, size };
  });
}
