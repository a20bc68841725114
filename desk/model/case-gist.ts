/** What the desk remembers of an opened case for lists and headings, without asking the office. */
import type { DeskOpenedCase } from '#desk/office/case-reader.ts';
import { toCallTime } from '#seal/case/booked-call.ts';
import { buildCallPlan } from '#seal/case/call-plan.ts';
import { showLine } from './shown-text.ts';

export interface CaseGist {
  readonly question: string;
  /** The name that the buyer wants to be called by; `the buyer` if it cannot be read. */
  readonly buyer: string;
  readonly isInDanger: boolean;
  readonly callAt: number | null;
}

export const UNNAMED_BUYER = 'the buyer';

export function buildCaseGist({ facts, content }: Pick<DeskOpenedCase, 'facts' | 'content'>): CaseGist {
  const { inquiry } = content;
  const booked = buildCallPlan(content, facts.call === 'booked').booked;
  const callAt = booked ? toCallTime(booked) : null;
  if (!('content' in inquiry))
    return { question: 'The inquiry cannot be read', buyer: UNNAMED_BUYER, isInDanger: false, callAt };
  const { question, alias, safety_risk: risk } = inquiry.content;
  return {
    question: showLine(question),
    buyer: showLine(alias) || UNNAMED_BUYER,
    isInDanger: risk === 'immediate',
    callAt,
  };
}

export function capitalizeName(name: string): string {
  return name === UNNAMED_BUYER ? 'The buyer' : name;
}
