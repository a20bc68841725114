/** The Spanish of the page where a person sees and ends what programs may do. */
import type { englishPermissions } from '#language/en/permissions.ts';

export const spanishPermissions = {
  'permissions.title': 'Programas que actúan por usted',
  'permissions.lead': 'Aquí ve lo que ha permitido que los programas hagan por usted, y puede terminarlo.',
  'permissions.sign_in':
    'Identifíquese como lo hizo cuando lo permitió. Preguntamos cada vez, porque aquí nadie deja la sesión abierta.',
  'permissions.address.hint': 'Después ve lo que permitió con esa dirección.',
  'permissions.words.hint': 'Después ve lo que permitió con estas palabras.',
  'permissions.expired': 'Esa página estuvo abierta demasiado tiempo. Identifíquese otra vez.',
  'permissions.none':
    'Ningún programa puede actuar por usted con esta dirección o estas palabras. No hay nada que terminar.',
  'permissions.ends':
    'Cada permiso termina cuando usted lo termina aquí, cuando su programa renuncia a él o no lo ha usado en {$unused :integer} días, y a más tardar después de {$days :integer} días.',
  'permissions.minutes':
    'Esta página funciona durante {$minutes :integer} minutos. Después, identifíquese otra vez.',
  'permissions.more':
    'Ve lo que permitió con la dirección o las palabras que acaba de usar. {#link}Identifíquese de otra manera{/link} para ver más.',
  'permissions.all': 'Todo a la vez',
  'permissions.all.text': 'Puede terminar todo lo que permitió con esta dirección o estas palabras.',
  'permissions.all.older':
    'Hay otros, más antiguos que los que se muestran aquí. Puede terminar todo lo que permitió con esta dirección o estas palabras.',
  'permissions.all.end': 'Terminar todos',
  'permissions.all.keep': 'Conservarlos',
  'permissions.all.title': '¿Terminar todo lo que los programas pueden hacer por usted?',
  'permissions.all.confirm': 'Ningún programa podrá actuar por usted con esta dirección o estas palabras.',
  'permissions.all.ended':
    'Terminado: ningún programa puede actuar ya por usted con esta dirección o estas palabras.',
  'permissions.given': 'El {$day} le permitió:',
  'permissions.given.client': 'El {$day} permitió a {#strong}{$client}{/strong}:',
  'permissions.email.known': 'Conoce su dirección de correo.',
  'permissions.email.unknown': 'No conoce su dirección de correo.',
  'permissions.end': 'Terminar este{#unseen} permiso de {$client}, dado el {$day}{/unseen}',
  'permissions.end.title': '¿Terminar lo que {$client} puede hacer?',
  'permissions.end.other': 'Tiene otro permiso suyo, que sigue en pie si no lo termina también.',
  'permissions.end.confirm':
    'Termina de inmediato. Lo que se compró y envió antes queda como está, y puede permitirlo otra vez desde el programa.',
  'permissions.end.act': 'Terminarlo',
  'permissions.end.keep': 'Conservarlo',
  'permissions.ended': 'Terminado: {$client} ya no puede actuar por usted.',
  'permissions.ended.other':
    'Terminado: lo que permitió a {$client} el {$day}. Todavía tiene otro permiso suyo, abajo.',
  'permissions.ended.already': 'Ese permiso ya había terminado.',
  'refusal.title': 'No se puede seguir con la identificación',
  refusal:
    'El programa que le envió aquí cometió un error, o esperó demasiado. No se compartió nada. Vuelva a él y empiece otra vez.',
  'refusal.author': 'Para su autor: {#code}{$error}{/code}',
} as const satisfies Readonly<Record<keyof typeof englishPermissions, string>>;
