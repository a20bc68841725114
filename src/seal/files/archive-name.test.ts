/** Names in an archive are safe, whatever name a stranger gave a file. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { createPathChooser, toArchiveName } from './archive-name.ts';
import { toSavedName } from './saved-name.ts';

test('a name leads nowhere but into its folder', () => {
  for (const [given, name] of [
    ['../../etc/passwd', '_.._etc_passwd'],
    ['..\\..\\autoexec.bat', '_.._autoexec.bat'],
    ['/etc/passwd', '_etc_passwd'],
    ['C:\\boot.ini', 'C__boot.ini'],
    ['..', 'file'],
    ['', 'file'],
    [' . ', 'file'],
    ['.profile', 'profile'],
    ['name. . ', 'name'],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['com1.tar.gz', '_com1.tar.gz'],
    ['console.txt', 'console.txt'],
    ['a\u0000b.txt', 'a_b.txt'],
    ['gpj.\u202Eexe', 'gpj._exe'],
    ['stream.txt:hidden', 'stream.txt_hidden'],
    ['Zeuge “1”.html', 'Zeuge “1”.html'],
    ['فيلم.mp4', 'فيلم.mp4'],
  ] as const)
    assert.equal(toArchiveName(given), name, given);
});

test('what a system would run is saved as a text, whatever its capitals; what people send is not', () => {
  for (const ending of `html htm SVG hta Exe lnk url scf desktop js vbs cmd bat ps1 sh jar msi app command reg xhtml
    library-ms settingcontent-ms webloc appref-ms scr com pif`.split(/\s+/))
    assert.equal(toSavedName(`statement.pdf.${ending}`), `statement.pdf.${ending}.txt`);
  assert.equal(toSavedName('statement.exe. . '), 'statement.exe.txt');
  assert.equal(toSavedName('\ud800x.exe'), '_x.exe.txt');
  for (const name of ['statement.pdf', 'photo.JPEG', 'list.xlsx', 'mail.eml', 'film.ts', 'html', 'file'])
    assert.equal(toSavedName(name), name);
});

test('a long name keeps its ending', () => {
  for (const letter of ['a', 'é', '調', '🕊']) {
    const name = toArchiveName(`${letter.repeat(300)}.jpeg`);
    assert.ok(name.endsWith(`${letter}.jpeg`));
    assert.ok(Buffer.byteLength(name) > 190 && Buffer.byteLength(name) <= 200, name);
  }
});

test('the same name twice becomes two, whatever its capitals', () => {
  const choosePath = createPathChooser();
  const given = ['a.txt', 'A.TXT', 'a.txt', 'a (2).txt', 'b'];
  assert.deepEqual(
    given.map((name) => choosePath('files', name)),
    ['files/a.txt', 'files/A (2).TXT', 'files/a (3).txt', 'files/a (2) (2).txt', 'files/b'],
  );
  assert.equal(choosePath('', 'a.txt'), 'a.txt');
});

test('no name whatsoever leaves the folder or collides', () => {
  const names = fc.array(
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('..', '../x', 'NUL', 'x', 'X', '.')),
  );
  fc.assert(
    fc.property(names, (given) => {
      const choosePath = createPathChooser();
      const paths = given.map((name) => choosePath('in', name));
      assert.equal(new Set(paths.map((path) => path.toLowerCase())).size, paths.length);
      for (const path of paths) {
        assert.match(path, /^in\/[^/\\]+$/);
        assert.doesNotMatch(path, /^in\/\.|[\s.]$/);
      }
    }),
  );
});
