/** `node test/flows/check-browser.ts`: ends with 0 if this machine has a browser that the tests can drive, else with 1. */
import { findBrowser } from './find-browser.ts';

const browser = await findBrowser();
await browser?.close();
process.exit(browser ? 0 : 1);
