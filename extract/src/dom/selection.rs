use super::{Dom, NodeId};

/// What of a page is wanted: some nodes with all they hold, less what is left
/// out. The writers of text, Markdown and HTML read a page through it.
#[derive(Debug, Clone)]
pub(crate) struct Selection {
    roots: Vec<NodeId>,
    left_out: Vec<bool>,
}

/// A step of a walk through a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Text, or an element before what it holds.
    Enter(NodeId),
    /// An element behind what it holds; text is only entered.
    Leave(NodeId),
}

impl Selection {
    /// Selects nodes, in document order and none within another.
    pub(crate) fn new(dom: &Dom, mut roots: Vec<NodeId>) -> Self {
        roots.sort_unstable();
        let mut behind = NodeId::DOCUMENT;
        roots.retain(|root| {
            let is_apart = *root >= behind;
            if is_apart {
                behind = dom.end(*root);
            }
            is_apart
        });
        Self { roots, left_out: vec![false; dom.len()] }
    }

    /// Leaves a node out, and all it holds.
    pub(crate) fn leave_out(&mut self, id: NodeId) {
        self.left_out[id.index()] = true;
    }

    /// Takes a node back in that was left out itself.
    pub(crate) fn take_back(&mut self, id: NodeId) {
        self.left_out[id.index()] = false;
    }

    /// Whether the node itself was left out; those around it are not asked.
    pub(crate) fn is_left_out(&self, id: NodeId) -> bool {
        self.left_out[id.index()]
    }

    pub(crate) fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// Walks through what is selected, in document order.
    pub(crate) fn walk<'a>(&'a self, dom: &'a Dom) -> impl Iterator<Item = Step> + 'a {
        let mut roots = self.roots.iter().copied();
        let mut open: Vec<NodeId> = Vec::new();
        let mut next: Option<NodeId> = None;
        std::iter::from_fn(move || {
            loop {
                if let Some(inmost) = open.last().copied()
                    && next.is_none_or(|next| !dom.contains(inmost, next))
                {
                    open.pop();
                    return Some(Step::Leave(inmost));
                }
                let id = next.filter(|_| !open.is_empty()).or_else(|| roots.next())?;
                if self.is_left_out(id) {
                    next = Some(dom.end(id)).filter(|_| !open.is_empty());
                    continue;
                }
                next = Some(id.following());
                if dom.text(id).is_none() {
                    open.push(id);
                } else if open.is_empty() {
                    next = None;
                }
                return Some(Step::Enter(id));
            }
        })
    }

    /// Walks through the nodes selected, without the steps out of them.
    pub(crate) fn nodes<'a>(&'a self, dom: &'a Dom) -> impl Iterator<Item = NodeId> + 'a {
        self.walk(dom).filter_map(|step| match step {
            Step::Enter(id) => Some(id),
            Step::Leave(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Tag;
    use super::*;

    fn walked(dom: &Dom, selection: &Selection) -> String {
        let name = |id| dom.text(id).map_or_else(|| format!("{:?}", dom.tag(id).expect("an element")), str::to_owned);
        let step = |step| match step {
            Step::Enter(id) => name(id),
            Step::Leave(id) => format!("/{}", name(id)),
        };
        selection.walk(dom).map(step).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_walk_enters_and_leaves_what_is_selected() {
        let dom = Dom::parse("<div>1<p>2<b>3</b></p><hr></div>4<ul><li>5</ul>");
        let find = |tag| dom.first(tag).expect("it is there");
        let mut selection = Selection::new(&dom, vec![find(Tag::Ul), find(Tag::Div), find(Tag::B)]);
        assert_eq!(walked(&dom, &selection), "Div 1 P 2 B 3 /B /P Hr /Hr /Div Ul Li 5 /Li /Ul");
        selection.leave_out(find(Tag::B));
        selection.leave_out(find(Tag::Ul));
        assert_eq!(walked(&dom, &selection), "Div 1 P 2 /P Hr /Hr /Div");
        selection.take_back(find(Tag::B));
        selection.leave_out(find(Tag::P));
        assert_eq!(walked(&dom, &selection), "Div 1 Hr /Hr /Div");
        let all = Selection::new(&dom, vec![dom.body()]);
        assert_eq!(walked(&dom, &all), "Body Div 1 P 2 B 3 /B /P Hr /Hr /Div 4 Ul Li 5 /Li /Ul /Body");
        let text = dom.children(dom.body()).nth(1).expect("the 4");
        assert_eq!(walked(&dom, &Selection::new(&dom, vec![text, find(Tag::Ul)])), "4 Ul Li 5 /Li /Ul");
    }
}
