/** The Spanish of the fields of the inquiry: what the form asks, and how an inquiry reads. */
import type { englishFields } from '#language/en/inquiry-fields.ts';

export const spanishFields = {
  'section.question': 'Qué quiere saber',
  'section.safety': 'Usted y su seguridad',
  'section.answer': 'Cómo le respondemos',
  'section.files': 'Archivos',
  'section.words': 'Sus doce palabras',
  'section.send': 'Antes de enviar',

  'field.alias': '¿Cómo quiere que le llamemos?',
  'field.alias.hint': 'No tiene que ser su nombre verdadero.',
  'field.alias.reader': 'Nombre o alias',
  'field.question': 'Su pregunta',
  'field.question.hint':
    'Una pregunta que podamos responder, por ejemplo: ¿esta reclutadora es quien dice ser?',
  'field.question.reader': 'Pregunta',
  'field.subject': 'De quién o de qué se trata',
  'field.subject.hint': 'Un nombre, una empresa, una cuenta o un número.',
  'field.subject.reader': 'Se trata de',
  'field.identifiers': 'Qué tiene ya',
  'field.identifiers.hint':
    'Enlaces, direcciones de correo, números de teléfono, nombres de cuentas. Uno en cada línea, {$count :integer} como máximo.',
  'field.identifiers.reader': 'Ya se sabe',
  'field.background': 'Qué ha pasado hasta ahora',
  'field.background.reader': 'Antecedentes',
  'field.jurisdiction': 'El país donde está',
  'field.jurisdiction.hint': 'La ley de ese país decide qué podemos hacer por usted.',
  'field.jurisdiction.choose': 'Elija un país',
  'field.jurisdiction.reader': 'País',
  'field.safety_risk': '¿Hay alguien en peligro?',
  'field.safety_risk.none': 'No',
  'field.safety_risk.possible': 'Posiblemente',
  'field.safety_risk.immediate': 'Sí, ahora mismo',
  'field.safety_risk.immediate.hint':
    'Llame primero al número de emergencias de su país: trabajamos en horas, no en minutos. Igual puede enviar este formulario.',
  'field.safety_risk.reader': 'En peligro',
  'field.safety_risk.none.reader': 'Nadie',
  'field.safety_risk.possible.reader': 'Posiblemente alguien',
  'field.safety_risk.immediate.reader': 'Alguien, ahora mismo',
  'field.subject_is_protected':
    '¿Su pregunta es sobre un menor, su pareja o expareja, o alguien protegido por una orden judicial?',
  'field.subject_is_protected.hint': 'Responder que sí no detiene su caso.',
  'field.subject_is_protected.no': 'No',
  'field.subject_is_protected.yes': 'Sí',
  'field.subject_is_protected.unsure': 'No lo sé con certeza',
  'field.subject_is_protected.reader':
    'Un menor, su pareja o expareja, o alguien protegido por una orden judicial',
  'field.subject_is_protected.unsure.reader': 'Sin certeza',
  'field.contact_mode': '¿Cómo podemos comunicarnos con usted?',
  'field.contact_mode.page_alone':
    'Encontrará nuestra respuesta en la página de su caso. Vuelva con sus doce palabras para leerla: para eso no necesitamos su dirección de correo ni su teléfono.',
  'field.contact_mode.return_only': 'Solo en la página de mi caso',
  'field.contact_mode.return_only.hint':
    'Usted vuelve con sus doce palabras. Para eso no nos da ninguna dirección de correo ni teléfono.',
  'field.contact_mode.email': 'Por correo electrónico',
  'field.contact_mode.phone': 'Por teléfono',
  'field.contact_mode.signal': 'Por Signal',
  'field.contact_mode.other': 'De otra manera',
  'field.contact_mode.reader': 'Cómo responder',
  'field.contact_mode.return_only.reader': 'Solo en la página del caso',
  'field.contact_mode.email.reader': 'Correo electrónico',
  'field.contact_mode.phone.reader': 'Teléfono',
  'field.contact_mode.signal.reader': 'Signal',
  'field.contact_mode.other.reader': 'Otra manera',
  'field.contact_value': 'Su dirección de correo o su número',
  'field.contact_value.hint':
    'Solo si nadie más puede leer sus mensajes ni oír sus llamadas. Queda bajo llave junto con su pregunta.',
  'field.contact_value.unsent': 'Cómo comunicarnos con usted',
  'field.contact_safe_times': '¿Cuándo es seguro contactarle?',
  'field.contact_safe_times.unsent': 'Cuándo es seguro',
  'field.contact_safe_times.reader': 'Horarios seguros',
  'field.call_windows.hint':
    'Su servicio incluye una llamada. También puede acordar el horario después, en la página de su caso.',
  'field.call_windows.reader': 'Horarios para la llamada',
  'field.call_number': '¿A qué número debemos llamar?',
  'field.call_number.hint':
    'Para la llamada que incluye su servicio. Con el código del país, como +57 601 555 0100. Queda bajo llave, como todo lo que escribe aquí.',
  'field.call_number.reader': 'Número para la llamada',
  'field.lawful_purpose':
    'Mi propósito es legal. No usaré la respuesta para acosar, perseguir ni dañar a nadie.',
  'field.files': 'Archivos que ayuden',
  'field.files.hint':
    'Como máximo {$files :integer} archivos de {$each :integer} MB cada uno, {$total :integer} MB en total.',
  'field.files.reader': 'Archivos',
  'field.files.kept': '{$file}, con sus datos ocultos',
  'field.keep_evidence': 'Conservar la ubicación y los datos de la cámara en mis fotos (como prueba)',
  'field.keep_evidence.hint':
    'Las fotos suelen llevar la ubicación, la hora y la cámara. Quitamos eso cuando podemos, salvo que marque esto.',
  'field.keep_days': '¿Cuándo debemos borrar su caso?',
  'field.keep_days.hint':
    'Se cuenta desde nuestra respuesta. Puede cambiarlo después en la página de su caso.',
  'field.keep_days.after': 'Después de {$days :integer} días',

  'call.times': '¿Cuándo podemos llamarle?',
  'call.from': 'Horario 1: desde',
  'call.or_from': 'Horario {$row :integer}: desde',
  'call.to': 'Horario 1: hasta',
  'call.or_to': 'Horario {$row :integer}: hasta',
  'call.zone': 'Su zona horaria',
  'call.zone.hint':
    'La ciudad a la que está ajustado el reloj de su dispositivo, como Bogota o Mexico City, o UTC.',
  'call.number': 'Número para la llamada: {$number}',
  'call.booked': 'La llamada está acordada: {$time}',
  'call.windows': 'Horarios para la llamada:',
  'call.window': '{$start} a {$end}, {$zone}',
} as const satisfies Readonly<Record<keyof typeof englishFields, string>>;
