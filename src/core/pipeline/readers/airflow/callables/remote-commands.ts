import { iterate } from '../../../python/values/iterate.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Call, Value } from '../../../python/values/value.ts';

const shellCommand =
  /^(?:subprocess\.(?:run|call|check_call|check_output|Popen|getoutput|getstatusoutput)|os\.(?:system|popen)|asyncio\.create_subprocess_(?:exec|shell)|sh\.\w+|invoke\.(?:run|sudo)|pexpect\.(?:run|spawn))$/;

/** Commands that move, pack, fetch or show files and touch no table. */
const fileCommand =
  /^(?:wget|curl|ls|rm|cp|mv|mkdir|rmdir|touch|chmod|chown|ln|cat|echo|printf|pwd|cd|test|true|false|sleep|date|head|tail|sort|uniq|cut|tr|wc|sed|awk|grep|egrep|find|xargs|tee|split|diff|cmp|file|stat|df|du|which|env|hostname|whoami|tar|gzip|gunzip|zip|unzip|7z|bzip2|xz|zcat|md5sum|sha256sum|gpg|openssl|iconv|dos2unix|jq|rsync|scp|sftp|ftp|lftp|ping|gsutil|azcopy|rclone|git|pip[\d.]*|ffmpeg|convert|pdftotext)$/;

/** Calls of clients that have something run somewhere else, by the name of the method. */
const remote: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:exec_command|invoke_shell|exec_ssh_client_command|run_remote\w*|send_command|sendCommand)$/,
    'runs a command on another machine',
  ],
  [
    /^(?:create_namespaced_(?:pod|job|cron_job|custom_object)|connect_get_namespaced_pod_exec|create_container|exec_create|exec_start|exec_run)$/,
    'runs a container',
  ],
  [
    /^(?:run_task|run_ecs_task|submit_job|start_job_run|add_job_flow_steps|run_job_flow|create_session|start_execution|start_pipeline_execution)$/,
    'starts a job of another service',
  ],
];

/** What a call of a task's Python has run out of sight, in words; `undefined` where it runs nothing. */
export function runsElsewhere(name: string, last: string, call: Call, self: Value | undefined): string | undefined {
  if (shellCommand.test(name) || (last === 'run_command' && self !== undefined)) {
    const command = commandOf(call);
    if (command !== undefined && fileCommand.test(command)) return undefined;
    return `it runs ${command === undefined ? 'a shell command' : `the command ${command}`}`;
  }
  if (/^runpy\.run_(?:path|module)$/.test(name)) return 'it runs another Python file';
  if (self === undefined) return undefined;
  const does = remote.find(([pattern]) => pattern.test(last))?.[1];
  if (does !== undefined) return `it ${does}`;
  // `docker.from_env().containers.run(…)`, `fabric.Connection(host).run(…)`.
  if (/(?:^|\.)containers\.(?:run|create)$/.test(call.callee)) return 'it runs a container';
  const type = typeOf(self);
  return /^(?:fabric|invoke|paramiko|spur|parallel_ssh|pssh)\b/.test(type) && /^(?:run|sudo|local|spawn)$/.test(last)
    ? 'it runs a command on another machine'
    : undefined;
}

/** Whether a command that is given SQL also has its client read a file: `mysql -e "USE shop; SOURCE shop.sql"`, `psql -f`. */
export function runsScript(name: string, call: Call): boolean {
  const [first] = call.positional;
  const given = first ?? call.keywords.get('args')?.value;
  if (!shellCommand.test(name) || given === undefined) return false;
  const words = given.kind === 'list' ? iterate(given).values : [given];
  return words.some((word) => word.kind === 'text' && readsFile.test(word.mapped.text));
}

const readsFile = /(?:^|;)\s*(?:source\s|\\(?:i|ir|\.)\s)|(?:^|\s)(?:-f|--file|--init-file)(?:=|\s|$)/i;

function typeOf(self: Value): string {
  switch (self.kind) {
    case 'instance':
      return self.type;
    case 'bound-method':
      return typeOf(self.self);
    default:
      return '';
  }
}

function commandOf(call: Call): string | undefined {
  const [first] = call.positional;
  const given = first ?? call.keywords.get('args')?.value ?? call.keywords.get('command')?.value;
  const word = given?.kind === 'list' ? iterate(given).values[0] : given;
  const text = word === undefined ? undefined : plainText(word);
  // More than one command, or one that is put together, may be anything.
  if (text !== undefined && word === given && /[;&|`$]/.test(text)) return undefined;
  return /^\s*([\w./-]+)/.exec(text ?? '')?.[1]?.replace(/^.*\//, '');
}
