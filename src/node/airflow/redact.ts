/** Hides what must not be shown or logged: passwords in URLs, and values of variables whose names say secret. */
export function redact(text: string, environment: NodeJS.ProcessEnv): string {
  let shown = text.replace(/(\/\/[^\s:/@]*:)[^\s@/]+@/g, '$1***@');
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined && value.length >= 6 && /PASS|SECRET|TOKEN|_KEY|CREDENTIAL|_CONN/i.test(name))
      shown = shown.replaceAll(value, '***');
  return shown;
}
