// Requests to the measured service.
import { readStat } from '../lib/processes.mjs';

const REQUEST_MS = 60_000;
const IDLE_CHECK_MS = 500;
/** Processor time per check of a service without work, in milliseconds. */
const IDLE_CPU_MS = 50;
const IDLE_CHECKS = 5;

/** Sends a request to the API and reads the whole answer. */
export async function sendRequest({ address }, token, { method = 'GET', path, body, headers = {} }) {
  const response = await fetch(`${address}/api/v1${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    signal: AbortSignal.timeout(REQUEST_MS),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Waits until the service uses little processor time, because maintenance has checked everything. */
export async function waitUntilIdle({ child: { pid } }) {
  let idle = 0;
  for (let { cpuMs } = readStat(pid); idle < IDLE_CHECKS; ) {
    await new Promise((resolve) => setTimeout(resolve, IDLE_CHECK_MS));
    const current = readStat(pid);
    idle = current.cpuMs - cpuMs < IDLE_CPU_MS ? idle + 1 : 0;
    cpuMs = current.cpuMs;
  }
}
