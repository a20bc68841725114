/** The terms that come with the program, as a test app without an operator shows them. */
import { createTerms } from '#cases/terms-version.ts';
import { loadSiteContent } from '#content/site-content.ts';
import { readConfig } from '#platform/config.ts';

export const CURRENT_TERMS = createTerms((await loadSiteContent(readConfig({}))).terms).version;
