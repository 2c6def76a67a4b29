//! The twenty-six tasks, in the paper's order.

use longarm_assets::libero::Category as C;

use super::baskets::Baskets;
use super::drawers::{CHEESE, Contents, Drawers, EMPTY, FULL};
use super::microwaves::Microwaves;
use super::pours::{After, Pours};
use super::row::Category::{Counting, Occlusion, Sequence, Transferring};
use super::row::{Category, Kind, Row};
use super::transfers::{Pieces, Places, Transfers};

/// Number in the release, category, stages checked there, mean length in the paper.
const fn row(
    title: &'static str,
    (number, category, stages, steps): (u32, Category, u32, u32),
    prompt: &'static str,
    kind: Kind,
) -> Row {
    Row { title, number, category, stages, steps, prompt, kind }
}

const fn drawers(contents: Contents, puts: &'static [(C, &'static str)]) -> Kind {
    Kind::Drawers(Drawers { contents, puts })
}

const fn microwaves(first: C, second: C) -> Kind {
    Kind::Microwaves(Microwaves { boxes: [first, second] })
}

const fn pours(vessel: C, into: C, filling: Option<C>, after: After) -> Kind {
    Kind::Pours(Pours { vessel, into, filling, after })
}

const fn baskets(first: C, second: C) -> Kind {
    Kind::Baskets(Baskets { objects: [first, second] })
}

const fn transfers(places: Places, objects: &'static [C]) -> Kind {
    Kind::Transfers(Transfers { places, objects: Pieces::Libero(objects) })
}

pub(super) const ROWS: &[Row] = &[
    row(
        "Transfer Chocolate Butter",
        (18, Transferring, 2, 866),
        "move the chocolate pudding and the butter from the cabinet they lie on to the other cabinet, the \
         one nearer to the robot first",
        transfers(Places::Cabinets, &[C::ChocolatePudding, C::Butter]),
    ),
    row(
        "Transfer Butter Cheese",
        (25, Transferring, 2, 779),
        "move the butter and the cream cheese from the plate they lie on to the other plate, the one nearer \
         to the robot first",
        transfers(Places::Plates, &[C::Butter, C::CreamCheese]),
    ),
    row(
        "Transfer Popcorn Cookies",
        (26, Transferring, 2, 779),
        "move the chocolate pudding and the cream cheese from the plate they lie on to the other plate, the \
         one nearer to the robot first",
        transfers(Places::Plates, &[C::ChocolatePudding, C::CreamCheese]),
    ),
    row(
        "Transfer Sauce Milk Juice",
        (19, Transferring, 3, 1265),
        "move the tomato sauce, the milk and the orange juice from the cabinet they stand on to the other \
         cabinet, always the one nearest to the robot",
        transfers(Places::Cabinets, &[C::TomatoSauce, C::Milk, C::OrangeJuice]),
    ),
    row(
        "Put Butter in Not-Empty Drawer",
        (4, Occlusion, 9, 1020),
        "open and close all drawers from top to bottom, then put the butter into the drawer that has an \
         object in it and close it",
        drawers(Contents::OneFull, &[(C::Butter, FULL)]),
    ),
    row(
        "Put Butter in Empty Drawer",
        (5, Occlusion, 9, 1806),
        "open and close all drawers from top to bottom, then put the butter into the empty drawer and close \
         it",
        drawers(Contents::OneEmpty, &[(C::Butter, EMPTY)]),
    ),
    row(
        "Put Cookies Butter into Drawer Respectively",
        (11, Occlusion, 6, 1835),
        "open and close all drawers from top to bottom, then put the cookies into the empty drawer, close \
         it, put the butter into the drawer with the cream cheese and close it",
        drawers(Contents::OneEmpty, &[(C::Cookies, EMPTY), (C::Butter, CHEESE)]),
    ),
    row(
        "Put Cookies Chocolate into Middle Drawer",
        (12, Occlusion, 4, 1370),
        "open and close all drawers from top to bottom, then put the cookies into the empty drawer, close \
         it, put the chocolate pudding into the drawer where the cookies are and close it",
        drawers(Contents::OneEmpty, &[(C::Cookies, EMPTY), (C::ChocolatePudding, EMPTY)]),
    ),
    row(
        "Put Butter Cookies into Middle Drawer",
        (13, Occlusion, 4, 1377),
        "open and close all drawers from top to bottom, then put the butter into the empty drawer, close it, \
         put the cookies into the drawer where the butter is and close it",
        drawers(Contents::OneEmpty, &[(C::Butter, EMPTY), (C::Cookies, EMPTY)]),
    ),
    row(
        "Put Cookies Chocolate into Drawer Respectively",
        (14, Occlusion, 6, 1832),
        "open and close all drawers from top to bottom, then put the cookies into the empty drawer, close \
         it, put the chocolate pudding into the drawer with the cream cheese and close it",
        drawers(Contents::OneEmpty, &[(C::Cookies, EMPTY), (C::ChocolatePudding, CHEESE)]),
    ),
    row(
        "Put Butter Chocolate into Middle Drawer",
        (17, Occlusion, 4, 1502),
        "open and close all drawers from top to bottom, then put the butter into the empty drawer, close it, \
         put the chocolate pudding into the drawer where the butter is and close it",
        drawers(Contents::OneEmpty, &[(C::Butter, EMPTY), (C::ChocolatePudding, EMPTY)]),
    ),
    row(
        "Put Cookies Chocolate into Microwave",
        (20, Occlusion, 4, 1195),
        "put the cookies into the microwave that is ajar and close it, then put the chocolate pudding where \
         the cookies are and close it again",
        microwaves(C::Cookies, C::ChocolatePudding),
    ),
    row(
        "Put Butter Chocolate into Microwave",
        (21, Occlusion, 4, 1175),
        "put the butter into the microwave that is ajar and close it, then put the chocolate pudding where \
         the butter is and close it again",
        microwaves(C::Butter, C::ChocolatePudding),
    ),
    row(
        "Put Cream Popcorn into Microwave",
        (23, Occlusion, 4, 1175),
        "put the cream cheese into the microwave that is ajar and close it, then put the popcorn where the \
         cream cheese is and close it again",
        microwaves(C::CreamCheese, C::Popcorn),
    ),
    row(
        "Put Cookies Popcorn into Microwave",
        (24, Occlusion, 4, 1195),
        "put the cookies into the microwave that is ajar and close it, then put the popcorn where the \
         cookies are and close it again",
        microwaves(C::Cookies, C::Popcorn),
    ),
    row(
        "Pour Sauce on Cookies ×2 Place Sauce into Drainer",
        (6, Counting, 3, 624),
        "pour tomato sauce over the cookies exactly twice, then put it into the bowl drainer beside which it \
         stood",
        pours(C::TomatoSauce, C::Cookies, None, After::Drainer),
    ),
    row(
        "Pour Sauce on Frypan ×2 Place Sauce into Drainer",
        (7, Counting, 3, 537),
        "pour tomato sauce into the frying pan exactly twice, then put it into the bowl drainer beside which \
         it stood",
        pours(C::TomatoSauce, C::Chefmate8Frypan, None, After::Drainer),
    ),
    row(
        "Pour Sauce Twice over Chocolate in Frypan Place Sauce into Drainer",
        (8, Counting, 4, 910),
        "put the chocolate pudding into the frying pan, pour tomato sauce over it exactly twice, then put the \
         sauce into the bowl drainer beside which it stood",
        pours(C::TomatoSauce, C::Chefmate8Frypan, Some(C::ChocolatePudding), After::Drainer),
    ),
    row(
        "Pour Sauce ×2 over Butter in Frypan",
        (9, Counting, 4, 958),
        "put the butter into the frying pan, pour tomato sauce over it exactly twice, then put the sauce into \
         the bowl drainer beside which it stood",
        pours(C::TomatoSauce, C::Chefmate8Frypan, Some(C::Butter), After::Drainer),
    ),
    row(
        "Pour Wine into Mug Twice",
        (10, Counting, 3, 472),
        "pour wine into the yellow and white mug exactly twice, then put the bottle back on the mat it stood \
         on",
        pours(C::WineBottle, C::WhiteYellowMug, None, After::Mat),
    ),
    row(
        "Pour Milk Twice over Butter in Frypan",
        (15, Counting, 4, 1055),
        "put the butter into the frying pan, pour milk over it exactly twice, then put the milk back on the \
         mat it stood on",
        pours(C::Milk, C::Chefmate8Frypan, Some(C::Butter), After::Mat),
    ),
    row(
        "Pour Milk ×2 over Mug Place Milk into Drainer",
        (16, Counting, 3, 594),
        "pour milk into the red mug exactly twice, then put it into the bowl drainer beside which it stood",
        pours(C::Milk, C::RedCoffeeMug, None, After::Drainer),
    ),
    row(
        "Put Cookies Sauce into Basket in Order",
        (1, Sequence, 2, 742),
        "put the cookies into the basket they lie before, then put the tomato sauce into the same basket",
        baskets(C::Cookies, C::TomatoSauce),
    ),
    row(
        "Put Butter Popcorn into Basket in Order",
        (2, Sequence, 2, 708),
        "put the butter into the basket it lies before, then put the popcorn into the same basket",
        baskets(C::Butter, C::Popcorn),
    ),
    row(
        "Put Cream Chocolate into Basket in Order",
        (3, Sequence, 2, 708),
        "put the cream cheese into the basket it lies before, then put the chocolate pudding into the same \
         basket",
        baskets(C::CreamCheese, C::ChocolatePudding),
    ),
    row(
        "Pour Sauce ×2 Put Cookies into Microwave",
        (22, Sequence, 6, 1565),
        "pour tomato sauce over the cookies exactly twice and put it aside, then put the cookies into the \
         microwave and close it",
        pours(C::TomatoSauce, C::Cookies, None, After::Microwave),
    ),
];
