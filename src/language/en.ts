/**
 * Every sentence for people, in English and in MessageFormat 2: the source of the keys and arguments of all languages.
 *
 * `{$name}` is a value, `{#link}…{/link}` an element that the page makes. Two words for two ideas: what we cannot read
 * is *locked*, what is gone is *deleted*.
 */
import { englishCopies } from './en/case-copies.ts';
import { englishCase } from './en/case-page.ts';
import { englishContact } from './en/contact-page.ts';
import { englishFaults } from './en/faults.ts';
import { englishFiles } from './en/files.ts';
import { englishFindCase } from './en/find-case.ts';
import { englishFrame } from './en/frame.ts';
import { englishHome } from './en/home.ts';
import { englishFields } from './en/inquiry-fields.ts';
import { englishInquiry } from './en/inquiry-page.ts';
import { englishLetters } from './en/letters.ts';
import { englishNotices } from './en/notices.ts';
import { englishPayment } from './en/payment.ts';
import { englishPermissions } from './en/permissions.ts';
import { englishProblems } from './en/problems.ts';
import { englishSignIn } from './en/sign-in.ts';
import { englishTimes } from './en/times.ts';

export const english = {
  ...englishFrame,
  ...englishHome,
  ...englishInquiry,
  ...englishFields,
  ...englishFaults,
  ...englishFiles,
  ...englishNotices,
  ...englishPermissions,
  ...englishLetters,
  ...englishCopies,
  ...englishTimes,
  ...englishCase,
  ...englishFindCase,
  ...englishContact,
  ...englishPayment,
  ...englishSignIn,
  ...englishProblems,
} as const;
