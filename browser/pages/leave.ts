/** The script of pages that have no other script. */
import { enableQuickExit, forgetPageOnceLeft } from '#browser/ui/leave-button.ts';

enableQuickExit();
// A page that search engines may list is the same for every visitor, so there is nothing to forget.
if (document.querySelector('meta[name=robots]')) forgetPageOnceLeft();
