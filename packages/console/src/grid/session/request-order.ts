/** Answers to one question that is asked again and again come in any order: one that a later one overtook is no news. */
export class InOrder {
  private asked = 0;
  private answered = 0;

  /** To be called when the question is asked; the number belongs to its answer. */
  ask(): number {
    return ++this.asked;
  }

  /** To be called once with each answer: whether it is newer than those that came before. */
  isNews(question: number): boolean {
    if (question < this.answered) return false;
    this.answered = question;
    return true;
  }
}
