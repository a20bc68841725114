/**
 * The sentences for people in Spanish, as it is understood all over Latin America, with *usted*.
 *
 * Two words for two ideas, as in English: what we cannot read is *bajo llave*, what is gone is *borrado*. The other
 * terms are in docs/glossary.md.
 */
import type { Catalogue } from './catalogue.ts';
import { spanishCopies } from './es/case-copies.ts';
import { spanishCase } from './es/case-page.ts';
import { spanishContact } from './es/contact-page.ts';
import { spanishFaults } from './es/faults.ts';
import { spanishFiles } from './es/files.ts';
import { spanishFindCase } from './es/find-case.ts';
import { spanishFrame } from './es/frame.ts';
import { spanishHome } from './es/home.ts';
import { spanishFields } from './es/inquiry-fields.ts';
import { spanishInquiry } from './es/inquiry-page.ts';
import { spanishLetters } from './es/letters.ts';
import { spanishNotices } from './es/notices.ts';
import { spanishPayment } from './es/payment.ts';
import { spanishPermissions } from './es/permissions.ts';
import { spanishProblems } from './es/problems.ts';
import { spanishSignIn } from './es/sign-in.ts';
import { spanishTimes } from './es/times.ts';

export const spanish = {
  ...spanishFrame,
  ...spanishHome,
  ...spanishInquiry,
  ...spanishFields,
  ...spanishFaults,
  ...spanishPermissions,
  ...spanishLetters,
  ...spanishCopies,
  ...spanishFiles,
  ...spanishNotices,
  ...spanishTimes,
  ...spanishCase,
  ...spanishFindCase,
  ...spanishContact,
  ...spanishPayment,
  ...spanishSignIn,
  ...spanishProblems,
} as const satisfies Catalogue;
