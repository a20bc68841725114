/** Tools for what people write: the messages and the finding of a case, opened with its words, and contact messages. */
import { type Static, Type } from 'typebox';
import { CaseSummary } from '#api/case-view.ts';
import { ContactReceipt, PlainContact, sendCallerMessage } from '#api/contact.ts';
import { answerCallerCase, openCallerCase, PlainCaseRequest, PlainMessageRequest } from '#api/plain-case.ts';
import { PlainCase } from '#api/plain-case-view.ts';
import { toIdempotencyKey } from '#platform/http/idempotency-key.ts';
import { httpLimits } from '#platform/http/limits.ts';
import { closedObject } from '#platform/http/shapes.ts';
import type { Services } from '#services.ts';
import { CaseId } from './case-tools.ts';
import {
  defineTool,
  IdempotencyKey,
  OPENNESS,
  readingHints,
  requireToolCaller,
  writingHints,
} from './tool.ts';

const OWN_CASES =
  'Only for a case with `sealed_by: server`, such as one that submit_inquiry opened; do not send the words of any other.';

const { finding, ...conversation } = PlainCase.properties;

const readMessages = defineTool({
  name: 'read_messages',
  title: 'Messages of a case',
  description: `Reads the messages of a case, of both sides, with its twelve words; nothing is changed. Give the \`cursor\` of an earlier response as \`after\` to read only later ones. ${OWN_CASES} ${OPENNESS}`,
  access: 'case:read',
  budget: 'words',
  input: Type.Object({ case_id: CaseId, ...PlainCaseRequest.properties }, closedObject),
  output: Type.Object(conversation, closedObject),
  annotations: readingHints,
  run: async (services, { caller, input: { case_id: id, ...request } }) => {
    const { finding: _finding, ...messages } = await openCallerCase(
      services,
      requireToolCaller(caller),
      id,
      request,
    );
    return messages;
  },
});

const getFinding = defineTool({
  name: 'get_finding',
  title: 'Finding of a case',
  description: `Reads the finding of a case, which is its answer, with the twelve words. Until the case is \`delivered\`, the response has the state and no finding. Files of the finding are listed; \`openPlainFile\` of the HTTP API downloads them. ${OWN_CASES} ${OPENNESS}`,
  access: 'case:read',
  budget: 'words',
  input: Type.Object({ case_id: CaseId, words: PlainCaseRequest.properties.words }, closedObject),
  output: Type.Object({ state: conversation.state, finding }, closedObject),
  annotations: readingHints,
  run: async (services, { caller, input: { case_id: id, words } }) => {
    const opened = await openCallerCase(services, requireToolCaller(caller), id, { words });
    return { state: opened.state, ...(opened.finding ? { finding: opened.finding } : {}) };
  },
});

const sendCaseMessage = defineTool({
  name: 'send_case_message',
  title: 'Write to the desk in a case',
  description: `Sends a message to the desk in a case, or answers its question, with the twelve words; the message is sealed on arrival. Called again without \`idempotency_key\`, it sends a second message. The response is the case after the message. ${OWN_CASES} ${OPENNESS}`,
  access: 'case:write',
  budget: 'words',
  messageBytes: httpLimits.jsonBytes,
  input: Type.Object(
    { case_id: CaseId, ...PlainMessageRequest.properties, idempotency_key: IdempotencyKey },
    closedObject,
  ),
  output: CaseSummary,
  annotations: writingHints,
  run: (services, { caller, input: { case_id: id, idempotency_key: key, ...message } }) =>
    answerCallerCase(services, requireToolCaller(caller), id, { ...message, key: toIdempotencyKey(key) }),
});

const sendContactMessage = defineTool({
  name: 'send_contact_message',
  title: 'Write to the office',
  description: `Sends a message to the office that belongs to no case, sealed on arrival; an answer comes only to \`reply_to\`. For a case, use send_case_message. ${OPENNESS}`,
  access: 'contact:write',
  budget: 'contact',
  messageBytes: httpLimits.jsonBytes,
  input: Type.Object({ ...PlainContact.properties, idempotency_key: IdempotencyKey }, closedObject),
  output: ContactReceipt,
  annotations: writingHints,
  run: (services: Services, { caller, input: { idempotency_key: key, ...plain } }) =>
    sendCallerMessage(
      services,
      requireToolCaller(caller),
      { plain: plain satisfies Static<typeof PlainContact> },
      toIdempotencyKey(key),
    ),
});

export const conversationTools = [readMessages, getFinding, sendCaseMessage, sendContactMessage];
