/** Finds outdated answers of a repeated request: an answer is outdated if a later request was answered first. */
export class RequestOrder {
  private requestCount = 0;
  private lastAnswered = 0;

  /** Call it for each request; the number belongs to its answer. */
  next(): number {
    return ++this.requestCount;
  }

  /** Call it once for each answer. Returns true if no later request was answered before. */
  acceptAnswer(request: number): boolean {
    if (request < this.lastAnswered) return false;
    this.lastAnswered = request;
    return true;
  }
}
