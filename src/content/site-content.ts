/** The texts that belong to the operator: read and checked once, when the service starts. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '#language/language.ts';
import { ENGLISH, SERVED_LANGUAGES } from '#language/languages.ts';
import { type TierName, tierNames } from '#payments/tiers.ts';
import type { Config } from '#platform/config/config.ts';
import { readContentFile, rejectContent } from './content-file.ts';
import {
  type ContentPage,
  findSectionMarkdown,
  listSectionItems,
  readContentPage,
  toPlainSentence,
} from './content-page.ts';
import { type Helpline, readHelplines } from './helplines.ts';
import { buildPlaceholderValues, type ContentConfig, fillPlaceholders } from './placeholders.ts';

const TERMS_VERSION_LENGTH = 16;

/** The pages, by the names of their files. */
export const CONTENT_PAGES = [
  'terms',
  'refunds',
  'about',
  'questions',
  'what-you-get',
  'sample',
  'privacy',
  'safety',
] as const;
export type ContentPageName = (typeof CONTENT_PAGES)[number];

/** The case page shows the first paragraph under these headings of the page about refunds. */
const REFUND_SECTIONS = ['declined', 'withdrawn', 'opened', 'late'] as const;
type RefundSection = (typeof REFUND_SECTIONS)[number];

/** The texts in one language; those without a translation are in English. */
export interface LocalContent {
  readonly pages: Readonly<Record<ContentPageName, ContentPage>>;
  readonly refundSentences: Readonly<Record<RefundSection, () => string>>;
  /** What each tier contains, for its card on the home page. */
  readonly tierItems: Readonly<Record<TierName, () => readonly string[]>>;
}

export interface SiteContent extends LocalContent {
  readonly helplineCountries: readonly string[];
  /** By the tag of the language. */
  readonly translations: ReadonlyMap<string, LocalContent>;
}

export function getLocalContent(content: SiteContent, { tag }: Pick<Language, 'tag'>): LocalContent {
  return content.translations.get(tag) ?? content;
}

export interface Terms {
  /** Follows from the text. */
  readonly version: string;
  /** As shown, in Markdown. */
  readonly text: string;
}

type ContentOptions = ContentConfig & Pick<Config, 'contentDir'>;

/** Throws a ProgramError that names the file. */
export async function loadSiteContent(config: ContentOptions) {
  const helplines = await readHelplines(join(config.contentDir, 'helplines.txt'));
  const english = (await readTexts(config, helplines, ENGLISH)) as ContentTexts;
  const translations = new Map<string, LocalContent>();
  for (const language of SERVED_LANGUAGES) {
    if (language === ENGLISH) continue;
    const translated = await readTexts(config, helplines, language);
    translations.set(language.tag, buildLocalContent({ ...english, ...translated }));
  }
  return {
    content: {
      ...buildLocalContent(english),
      helplineCountries: [...new Set(helplines.map(({ country }) => country))],
      translations,
    },
    terms: createTerms(english.terms.markdown),
  };
}

interface ContentText {
  readonly markdown: string;
  readonly path: string;
  readonly lang: string;
}

type ContentTexts = Readonly<Record<ContentPageName, ContentText>>;

function buildLocalContent(texts: ContentTexts): LocalContent {
  const { refunds, 'what-you-get': services } = texts;
  return {
    pages: mapNames(CONTENT_PAGES, (name) => {
      const { markdown, path, lang } = texts[name];
      return readContentPage(markdown, path, lang);
    }),
    refundSentences: mapNames(REFUND_SECTIONS, (id) => {
      const sentence =
        findSectionMarkdown(refunds.markdown, id) ??
        rejectContent(refunds.path, `no paragraph follows a heading that ends with {#${id}}`);
      return () => toPlainSentence(sentence);
    }),
    tierItems: mapNames(tierNames, (name) => {
      const id = name.toLowerCase().replace(' ', '-');
      const items = listSectionItems(services.markdown, id);
      if (items.length === 0)
        rejectContent(services.path, `no list follows a heading that ends with {#${id}}`);
      return () => items.map(toPlainSentence);
    }),
  };
}

/** All texts in English; in another language those that are translated: every buyer agrees to the English terms. */
async function readTexts(
  config: ContentOptions,
  helplines: readonly Helpline[],
  language: Language,
): Promise<Partial<ContentTexts>> {
  const values = buildPlaceholderValues(config, helplines, language);
  const texts: [ContentPageName, ContentText][] = [];
  // Sequentially, so that the first fault in order is reported.
  for (const name of CONTENT_PAGES) {
    const file = language === ENGLISH ? `${name}.md` : `${name}.${language.tag}.md`;
    const path = join(config.contentDir, file);
    if (language !== ENGLISH && !existsSync(path)) continue;
    const markdown = fillPlaceholders(await readContentFile(path), values, path);
    texts.push([name, { markdown, path, lang: language.tag }]);
  }
  return Object.fromEntries(texts);
}

function mapNames<Name extends string, Value>(
  names: readonly Name[],
  create: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, create(name)])) as Record<Name, Value>;
}

export function createTerms(text: string): Terms {
  const version = createHash('sha256').update(text).digest('hex').slice(0, TERMS_VERSION_LENGTH);
  return { version, text };
}
